import type { Accepted, Commanded, MediaView } from '../api/shapes.ts';

/** A message on its way. Its `id` is made here, so that sending it twice is the same as sending it once. */
export interface Outgoing {
  readonly id: string;
  readonly sessionId: string;
  readonly text: string;
  readonly attachments: readonly MediaView[];
  readonly at: number;
  /** `sent`: the gateway has it, and it will come back as an event. */
  readonly state: 'sending' | 'waiting' | 'sent' | 'failed';
  /** The error sentence of a `failed` message, or the gateway's last refusal of a `waiting` one; `null` without an answer. */
  readonly problem: string | null;
  /** What the gateway calls it, once it has it. */
  readonly messageId: string | null;
  /** Its event seems to be there already. */
  readonly echoed: boolean;
}

/** Commands act on the moment. One that comes late would act on another moment, so it is never sent again. */
export function isCommand({ text }: { readonly text: string }): boolean {
  return /^\/[a-z]+(\s|$)/.test(text);
}

export function change(
  list: readonly Outgoing[],
  id: string,
  fields: Partial<Outgoing>,
): readonly Outgoing[] {
  return list.map((item) => (item.id === id ? { ...item, ...fields } : item));
}

/**
 * The list after the gateway took a message in. Its event carries the gateway's own id of the message, and may have come
 * before this answer: `heard` knows.
 */
export function acknowledge(
  list: readonly Outgoing[],
  id: string,
  messageId: string,
  heard: ReadonlySet<string>,
): readonly Outgoing[] {
  if (heard.has(messageId)) return list.filter((item) => item.id !== id);
  return change(list, id, { state: 'sent', messageId, echoed: false });
}

interface Heard {
  readonly messageId: string;
  readonly text: string;
}

/**
 * The list after messages came back as events. One whose answer is still on its way can be told by its text alone: it is
 * kept, but not shown beside its own event; its answer decides. In a page of the past that would be guessing.
 */
export function settle(
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
    else if (live && echo !== undefined) now = change(now, echo.id, { echoed: true });
  }
  return now;
}

function isUnanswered({ state, echoed }: Outgoing): boolean {
  return (state === 'sending' || state === 'waiting') && !echoed;
}

/** The next message to send: in order, and none past one of the same session that still waits. */
export function nextToSend(list: readonly Outgoing[]): Outgoing | undefined {
  return list.find(({ state }) => state === 'sending' || state === 'waiting');
}

export function isCommanded(answer: Accepted | Commanded): answer is Commanded {
  return 'command' in answer;
}

/** What must outlive a reload: everything the gateway has not confirmed. */
export function serialize(list: readonly Outgoing[]): string {
  return JSON.stringify(list.filter((item) => item.state !== 'sent' && !isCommand(item)));
}

/** What an earlier page of this tab left behind; anything unreadable is nothing. */
export function deserialize(text: string | null): readonly Outgoing[] {
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
