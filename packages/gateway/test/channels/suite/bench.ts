import type { Inbound, Ingress, Outgoing, Press, SendContext } from '../../../src/channels/channel.ts';
import type { ChannelBench } from '../channel-suite.ts';

/** A busy platform asks for this wait. */
export const BUSY_MS = 2_000;

/** Why a test of the suite is left out. */
export const LACKING = 'There is no such thing on this platform.';

/** An ingress that does what a test wants, and knows what it was given. */
export interface Listening extends Ingress {
  readonly heard: Inbound[];
  readonly pressed: Press[];
}

/** `take` decides what becomes of a message; it is taken in when absent. */
export function listen(
  bench: ChannelBench,
  take: (message: Inbound) => Promise<void> = async () => {},
): Listening {
  const heard: Inbound[] = [];
  const pressed: Press[] = [];
  return {
    heard,
    pressed,
    async receive(message) {
      heard.push(message);
      await take(message);
      const { messageId } = message;
      const received = { sessionId: bench.sessionId, messageId, number: 1, duplicate: false, ahead: 0 };
      return { kind: 'message', ...received, steered: false, dropped: false, turnId: undefined };
    },
    note: bench.note,
    press: async (press) => {
      pressed.push(press);
      return { accepted: true, message: 'Thank you.' };
    },
    report: async () => {},
    renameSender: async () => {},
    movePlace: async () => {},
    fail() {},
  };
}

export function textOf(text: string): Outgoing {
  return { kind: 'notice', text, media: [] };
}

let sends = 0;

/** Each is a delivery of its own, unless it is given an id. */
export function contextOf({ sessionId }: ChannelBench, id = `d${++sends}`): SendContext {
  return { id, sessionId, attempt: 1, signal: new AbortController().signal };
}
