import { setTimeout as sleep } from 'node:timers/promises';
import { CommandFailure } from '../failure.ts';
import { type Address, reach } from './client.ts';

/** One message of a gateway's event stream. */
export interface StreamMessage {
  readonly event: string;
  readonly id: number | undefined;
  readonly data: unknown;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Follows a session from an event on. A connection that breaks is made again, and goes on where it broke off, so that
 * nothing is missed or comes twice; a gateway that refuses ends it.
 */
export async function* followSession(
  gateway: Address,
  sessionId: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<StreamMessage> {
  let last = after;
  let pause = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    try {
      for await (const message of readStream(gateway, sessionId, last, signal)) {
        pause = FIRST_PAUSE_MS;
        last = message.id ?? last;
        yield message;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof CommandFailure && !error.message.includes('does not answer')) throw error;
    }
    await sleep(pause, undefined, { signal }).catch(() => {});
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  }
}

async function* readStream(
  { url, token }: Address,
  sessionId: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<StreamMessage> {
  const response = await reach(url, `/api/sessions/${sessionId}/events?after=${after}`, {
    headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
    signal,
  });
  if (response.status >= 400 && response.status < 500) {
    throw new CommandFailure(`The gateway does not let us follow this session: ${response.status}.`, 1);
  }
  if (!response.ok || response.body === null) return;
  let rest = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const messages = `${rest}${chunk}`.split('\n\n');
    rest = messages.pop() ?? '';
    for (const message of messages) {
      const read = readMessage(message);
      if (read !== undefined) yield read;
    }
  }
}

function readMessage(text: string): StreamMessage | undefined {
  const fields = new Map(
    text.split('\n').flatMap((line): [string, string][] => {
      const at = line.indexOf(': ');
      return at > 0 ? [[line.slice(0, at), line.slice(at + 2)]] : [];
    }),
  );
  const data = fields.get('data');
  if (data === undefined) return undefined;
  const id = fields.get('id');
  return {
    event: fields.get('event') ?? '',
    id: id === undefined ? undefined : Number(id),
    data: JSON.parse(data),
  };
}
