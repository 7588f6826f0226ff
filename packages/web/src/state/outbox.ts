import type { MediaView } from '@plugboard/client';

/** A message on its way. Its `id` is made here, so that sending it twice is the same as sending it once. */
export interface Outgoing {
  readonly id: string;
  readonly sessionId: string;
  readonly text: string;
  readonly attachments: readonly MediaView[];
  readonly at: number;
  /** `sent`: the gateway has it, and it will come back as an event. */
  readonly state: 'sending' | 'waiting' | 'sent' | 'failed';
  /**
   * The error sentence of a `failed` message, or the gateway's last refusal of a `waiting` one; `null` without an
   * answer.
   */
  readonly problem: string | null;
  /** The id from the gateway; null until the message was accepted. */
  readonly messageId: string | null;
  /** An event with its text was seen before the answer with its `messageId`. */
  readonly echoed: boolean;
}

/** Commands such as `/stop` refer to the present state, so a failed one is never sent again. */
export function isCommand({ text }: { readonly text: string }): boolean {
  return /^\/[a-z]+(\s|$)/.test(text);
}

export function changeOutgoing(
  list: readonly Outgoing[],
  id: string,
  fields: Partial<Outgoing>,
): readonly Outgoing[] {
  return list.map((item) => (item.id === id ? { ...item, ...fields } : item));
}

/**
 * The list after the gateway took a message in. Its event carries the gateway's own id of the message, and may have
 * come before this answer: `heard` knows.
 */
export function acknowledgeMessage(
  list: readonly Outgoing[],
  id: string,
  messageId: string,
  heard: ReadonlySet<string>,
): readonly Outgoing[] {
  if (heard.has(messageId)) return list.filter((item) => item.id !== id);
  return changeOutgoing(list, id, { state: 'sent', messageId, echoed: false });
}

interface Heard {
  readonly messageId: string;
  readonly text: string;
}

/**
 * Removes messages whose `user` event has arrived. Before the answer with its `messageId`, a message is recognized by
 * its text: it is hidden (`echoed`) until the answer decides. In older pages (`live` false) equal texts may belong to
 * earlier messages, so they are ignored.
 */
export function removeEchoed(
  list: readonly Outgoing[],
  sessionId: string,
  said: readonly Heard[],
  live = true,
): readonly Outgoing[] {
  let now = list;
  for (const { messageId, text } of said) {
    const known = now.filter((item) => item.messageId !== messageId);
    const echo = now.find((item) => item.sessionId === sessionId && isUnanswered(item) && item.text === text);
    if (known.length < now.length) now = known;
    else if (live && echo !== undefined) now = changeOutgoing(now, echo.id, { echoed: true });
  }
  return now;
}

function isUnanswered({ state, echoed }: Outgoing): boolean {
  return (state === 'sending' || state === 'waiting') && !echoed;
}

/** The next message to send, in order; a `waiting` message holds back later ones of its session. */
export function nextToSend(list: readonly Outgoing[]): Outgoing | undefined {
  return list.find(({ state }) => state === 'sending' || state === 'waiting');
}

/** The outbox as JSON for a reload: messages that the gateway has not confirmed, without commands. */
export function serializeOutbox(list: readonly Outgoing[]): string {
  return JSON.stringify(list.filter((item) => item.state !== 'sent' && !isCommand(item)));
}

/** The outbox of the previous page load; invalid JSON and invalid items are ignored. */
export function deserializeOutbox(text: string | null): readonly Outgoing[] {
  if (text === null) return [];
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter(isOutgoing).map((item) => ({ ...item, echoed: false })) : [];
  } catch {
    return [];
  }
}

function isOutgoing(value: unknown): value is Outgoing {
  const item = value as Outgoing | null;
  return typeof item?.id === 'string' && typeof item.sessionId === 'string' && typeof item.text === 'string';
}
