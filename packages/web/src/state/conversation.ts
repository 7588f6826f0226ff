import type { Event, Task } from '@plugboard/protocol';
import type { EventView, UserSaid } from '../api/shapes.ts';
import type { Entry, Said } from './entry.ts';
import { beginTurn, stepTurn } from './turn.ts';

/** A session as the page shows it: a fold over the events that are loaded. */
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

/** The conversation with newer events; what it has already is passed over, so events may come twice. */
export function extend(conversation: Conversation, views: readonly EventView[]): Conversation {
  const fresh: EventView[] = [];
  const draft: Draft = { ...conversation, entries: [...conversation.entries] };
  for (const view of views) {
    if (view.number <= draft.last) continue;
    draft.last = view.number;
    fresh.push(view);
    take(draft, view);
  }
  return fresh.length === 0 ? conversation : { ...draft, events: [...conversation.events, ...fresh] };
}

/**
 * The conversation with older events before it, which reach down to `after`. The seam may lie in the middle of a turn, so all is
 * folded anew; entries that came out as before stay the same objects, and the page need not draw them again.
 */
export function prepend(
  conversation: Conversation,
  views: readonly EventView[],
  after: number,
): Conversation {
  const older = views.filter(({ number }) => number < conversation.first);
  const folded = extend(emptyConversation(after), [...older, ...conversation.events]);
  const known = new Map(conversation.entries.map((entry) => [entry.key, entry]));
  const entries = folded.entries.map((entry) => {
    const before = known.get(entry.key);
    return before !== undefined && before.from === entry.from && before.to === entry.to ? before : entry;
  });
  return { ...folded, entries, last: conversation.last };
}

function take(draft: Draft, view: EventView): void {
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
      return takeSteered(draft, view, event.count);
    // The agent's own id of the session, and who it is, say nothing to the person who chats.
    case 'ready':
    case 'session':
    case 'log':
      return;
    default:
      // An agent that had ended may be given what was meant to steer it, within the same turn: it begins once more.
      if (event.type === 'accepted' && hasBegun(draft, view)) moveWaiting(draft, view, 1);
      takeAnswer(draft, view, event);
  }
}

function takeAnswer(draft: Draft, view: EventView, event: Event): void {
  const index = turnIndex(draft, view);
  const turn = draft.entries[index];
  if (turn?.kind === 'turn') draft.entries[index] = stepTurn(turn, event, view);
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

/** A message given to a turn that has already answered something belongs where it was said; else it comes before the turn. */
function takeSaid(draft: Draft, said: Said): void {
  const index = said.turnId === null ? -1 : findTurn(draft, said.turnId);
  const turn = draft.entries[index];
  if (turn?.kind !== 'turn') draft.entries.push(said);
  else if (turn.parts.length === 0) draft.entries.splice(index, 0, said);
  else draft.entries[index] = { ...turn, to: said.to, parts: [...turn.parts, said] };
}

/**
 * Where it is known which messages were taken in, they are shown in the turn; else a mark is. Before the turn has said
 * anything there is nothing to mark: what was said stands above it.
 */
function takeSteered(draft: Draft, view: EventView, count: number): void {
  if (moveWaiting(draft, view, count) > 0) return;
  const index = turnIndex(draft, view);
  const turn = draft.entries[index];
  if (turn?.kind !== 'turn' || turn.parts.length === 0) return;
  if (turn.parts.some(({ kind }) => kind === 'said')) return;
  const mark = { kind: 'steered', key: String(view.number), count } as const;
  draft.entries[index] = { ...turn, to: view.number, parts: [...turn.parts, mark] };
}

/**
 * Messages that wait below a turn move into it, oldest first, so that the answer goes on below them; or above it, if it
 * has answered nothing yet. Gives how many there were.
 */
function moveWaiting(draft: Draft, { turnId, number }: EventView, count: number): number {
  const index = findTurn(draft, turnId);
  const turn = draft.entries[index];
  if (turn?.kind !== 'turn') return 0;
  const waiting = draft.entries
    .slice(index + 1)
    .filter((entry) => entry.kind === 'said')
    .filter(({ dropped }) => !dropped);
  const moved = waiting.slice(0, count);
  const begun = turn.parts.length > 0;
  const next = begun ? { ...turn, to: number, parts: [...turn.parts, ...moved] } : turn;
  const rest = draft.entries.slice(index + 1).filter((entry) => !moved.includes(entry as Said));
  draft.entries = [...draft.entries.slice(0, index), ...(begun ? [] : moved), next, ...rest];
  return moved.length;
}

/** Where only the tail of a turn is loaded, what it has said tells that it began. */
function hasBegun(draft: Draft, { turnId }: EventView): boolean {
  const turn = draft.entries[findTurn(draft, turnId)];
  return turn?.kind === 'turn' && (turn.begun || turn.parts.length > 0);
}

/** Where the turn of an event is; one that is new goes to the end. */
function turnIndex(draft: Draft, view: EventView): number {
  const found = findTurn(draft, view.turnId);
  return found === -1 ? draft.entries.push(beginTurn(view)) - 1 : found;
}

/** What belongs to no turn is gathered until it ends, or until someone speaks. */
function findTurn({ entries }: Draft, id: string | null): number {
  if (id !== null) return entries.findLastIndex((entry) => entry.kind === 'turn' && entry.id === id);
  const last = entries.at(-1);
  return last?.kind === 'turn' && last.id === null && last.end === null ? entries.length - 1 : -1;
}
