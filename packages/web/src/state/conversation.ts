import type { EventView, UserSaid } from '@plugboard/client';
import type { Event, Task } from '@plugboard/protocol';
import type { Entry, Said } from './entry.ts';
import { beginTurn, stepTurn } from './turn.ts';

/** The session as the page shows it: a fold over its loaded events. */
export interface Conversation {
  readonly events: readonly EventView[];
  readonly entries: readonly Entry[];
  /** All background tasks and alarms there are. */
  readonly tasks: readonly Task[];
  /** The numbers of the oldest and the newest event that are loaded. */
  readonly first: number;
  readonly last: number;
}

type Draft = { -readonly [Key in keyof Conversation]: Conversation[Key] } & { entries: Entry[] };

export function emptyConversation(after = 0): Conversation {
  return { events: [], entries: [], tasks: [], first: after + 1, last: after };
}

/** Adds newer events. Events up to `last` are skipped, so a stream may repeat them. */
export function extendConversation(conversation: Conversation, views: readonly EventView[]): Conversation {
  const fresh: EventView[] = [];
  const draft: Draft = { ...conversation, entries: [...conversation.entries] };
  for (const view of views) {
    if (view.number <= draft.last) continue;
    draft.last = view.number;
    fresh.push(view);
    takeEvent(draft, view);
  }
  return fresh.length === 0 ? conversation : { ...draft, events: [...conversation.events, ...fresh] };
}

/**
 * The conversation with older events before it, which reach down to `after`. The seam may lie in the middle of a turn,
 * so all is folded anew; entries that came out as before stay the same objects, and the page need not draw them again.
 */
export function prependEvents(
  conversation: Conversation,
  views: readonly EventView[],
  after: number,
): Conversation {
  const older = views.filter(({ number }) => number < conversation.first);
  const folded = extendConversation(emptyConversation(after), [...older, ...conversation.events]);
  const known = new Map(conversation.entries.map((entry) => [entry.key, entry]));
  const entries = folded.entries.map((entry) => {
    const before = known.get(entry.key);
    return before !== undefined && before.from === entry.from && before.to === entry.to ? before : entry;
  });
  return { ...folded, entries, last: conversation.last };
}

function takeEvent(draft: Draft, view: EventView): void {
  const { event, number, at } = view;
  switch (event.type) {
    case 'user':
      return takeSaid(draft, saidOf(view, event));
    case 'notice':
      draft.entries.push({
        kind: 'notice',
        key: `notice-${number}`,
        from: number,
        to: number,
        at,
        text: event.text,
      });
      return;
    case 'dropped':
      draft.entries = draft.entries.map((entry) => dropSaid(entry, event.messageIds));
      return;
    case 'tasks':
      draft.tasks = event.tasks;
      return;
    case 'steered':
      return takeSteered(draft, view, event.inputs);
    // The session id and the identity of the agent are of no use to the user.
    case 'ready':
    case 'session':
    case 'log':
      return;
    default:
      if (event.type === 'accepted') moveInputs(draft, view, event.inputs ?? []);
      takeAnswer(draft, view, event);
  }
}

function takeAnswer(draft: Draft, view: EventView, event: Event): void {
  if (findTurn(draft, view.turnId) === -1 && isSilent(view, event)) return;
  const index = turnIndex(draft, view);
  const turn = draft.entries[index];
  if (turn?.kind === 'turn') draft.entries[index] = stepTurn(turn, event, view);
}

/** Whether an event outside of all turns would begin one with nothing to show: a title, or what a newer gateway tells. */
function isSilent(view: EventView, event: Event): boolean {
  if (view.turnId !== null || event.type === 'end' || event.type === 'accepted') return false;
  const { parts, progress, position, faults } = stepTurn(beginTurn(view), event, view);
  return parts.length === 0 && progress === null && position === null && faults === 0;
}

function saidOf({ number, at, turnId }: EventView, event: UserSaid): Said {
  const { messageId, text, sender, attachments } = event;
  const key = `said-${messageId}`;
  const place = { from: number, to: number, at, turnId };
  return { kind: 'said', key, ...place, messageId, text, sender, attachments, dropped: false };
}

function dropSaid(entry: Entry, messageIds: readonly string[]): Entry {
  if (entry.kind !== 'said' || !messageIds.includes(entry.messageId)) return entry;
  return { ...entry, dropped: true };
}

/**
 * A message that was steered into a turn with `parts` becomes a part of it; otherwise it is an entry before the turn.
 */
function takeSaid(draft: Draft, said: Said): void {
  const index = said.turnId === null ? -1 : findTurn(draft, said.turnId);
  const turn = draft.entries[index];
  if (turn?.kind !== 'turn') draft.entries.push(said);
  else if (turn.parts.length === 0) draft.entries.splice(index, 0, said);
  else draft.entries[index] = { ...turn, to: said.to, parts: [...turn.parts, said] };
}

/**
 * Steering is shown in the turn that has taken it in; where its messages are not loaded, a mark with their number is.
 */
function takeSteered(draft: Draft, view: EventView, inputs: readonly string[]): void {
  if (moveInputs(draft, view, inputs) > 0) return;
  const index = turnIndex(draft, view);
  const turn = draft.entries[index];
  // Without `parts` the turn has no answer yet: its messages stand above it and need no mark.
  if (turn?.kind !== 'turn' || turn.parts.length === 0) return;
  if (turn.parts.some((part) => part.kind === 'said' && inputs.includes(part.messageId))) return;
  const mark = { kind: 'steered', key: String(view.number), count: inputs.length } as const;
  draft.entries[index] = { ...turn, to: view.number, parts: [...turn.parts, mark] };
}

/**
 * Moves messages from below a turn into its `parts`, so that the answer continues below them, or above the turn while
 * `parts` is empty. Returns their number.
 */
function moveInputs(draft: Draft, { turnId, number }: EventView, inputs: readonly string[]): number {
  const index = findTurn(draft, turnId);
  const turn = draft.entries[index];
  if (turn?.kind !== 'turn') return 0;
  const isMoved = (entry: Entry): entry is Said =>
    entry.kind === 'said' && !entry.dropped && inputs.includes(entry.messageId);
  const after = draft.entries.slice(index + 1);
  const moved = after.filter(isMoved);
  if (moved.length === 0) return 0;
  const begun = turn.parts.length > 0;
  const next = begun ? { ...turn, to: number, parts: [...turn.parts, ...moved] } : turn;
  const rest = after.filter((entry) => !isMoved(entry));
  draft.entries = [...draft.entries.slice(0, index), ...(begun ? [] : moved), next, ...rest];
  return moved.length;
}

/** The index of the event's turn in `entries`; a new turn is appended. */
function turnIndex(draft: Draft, view: EventView): number {
  const found = findTurn(draft, view.turnId);
  return found === -1 ? draft.entries.push(beginTurn(view)) - 1 : found;
}

/** Events with `turnId` null share an entry with `id` null until its `end`, or until another entry follows. */
function findTurn({ entries }: Draft, id: string | null): number {
  if (id !== null) return entries.findLastIndex((entry) => entry.kind === 'turn' && entry.id === id);
  const last = entries.at(-1);
  return last?.kind === 'turn' && last.id === null && last.end === null ? entries.length - 1 : -1;
}
