import type { Event } from '@plugboard/protocol';
import { StoreError } from '../../../contract/errors.ts';
import type { EventLog, Noted } from '../../../contract/event-log.ts';
import type { Notice, StoredEvent } from '../../../contract/records.ts';
import { storableJson, storableText } from '../../../storable.ts';
import { type Connection, findRow, listRowsUntil, runStatement } from '../connection.ts';
import type { Context } from '../context.ts';
import { storeAgentFacts } from '../sessions/agent-facts.ts';
import { requireSession, setLastEvent } from '../sessions/session-rows.ts';
import { storeAsk } from './asks.ts';

export function createEventLog(context: Context): EventLog {
  const { connection, read, write } = context;
  return {
    read: (sessionId, page) => read(() => readEvents(connection, { sessionId, ...page })),
    note: (sessionId, notice) => write(() => storeEvent(context, sessionId, notice)),
  };
}

// The event that `EventLog.note` has stored under `:id`.
const FIND_NOTICE = `
  select sessions.id as session_id, notices.number
  from notices join sessions on sessions.seq = notices.session
  where notices.id = :id`;

interface NoticeRow {
  readonly session_id: string;
  readonly number: number;
}

function storeEvent(context: Context, sessionId: string, given: Parameters<EventLog['note']>[1]): Noted {
  const id = storableText(given.id);
  const known = findRow<NoticeRow>(context.connection, FIND_NOTICE, { id });
  if (known !== undefined) {
    return { event: readEventAt(context, known.session_id, known.number), duplicate: true };
  }
  const number = appendNotice(context, sessionId, id, given.event);
  return { event: readEventAt(context, sessionId, number), duplicate: false };
}

const ADD_NOTICE = 'insert into notices (id, session, number) values (:id, :session, :number)';

function appendNotice(
  { connection, now }: Context,
  sessionId: string,
  id: string,
  event: Event | Notice,
): number {
  const { seq: session, last_event } = requireSession(connection, sessionId);
  const number = last_event + 1;
  const at = now();
  appendEvent(connection, { session, number, turn: null, at, body: storableJson(event) });
  storeAgentFacts(connection, { session, now: at }, event);
  runStatement(connection, ADD_NOTICE, { id, session, number });
  setLastEvent(connection, session, number);
  return number;
}

function readEventAt({ connection }: Context, sessionId: string, number: number): StoredEvent {
  const [event] = readEvents(connection, { sessionId, after: number - 1, limit: 1 });
  if (event === undefined)
    throw new StoreError('not-found', `The session ${sessionId} has no event ${number}.`);
  return event;
}

// `number` is `last_event + 1` of the session. A unique index refuses a second event with it.
const APPEND_EVENT = `
  insert into events (session, number, turn, at, body) values (:session, :number, :turn, :at, :body)`;

export function appendEvent(
  connection: Connection,
  event: {
    readonly session: number;
    readonly number: number;
    readonly turn: number | null;
    readonly at: number;
    readonly body: string;
  },
): void {
  runStatement(connection, APPEND_EVENT, event);
}

/** A turn that appends events, and the number of the newest event of its session. */
export interface RunningTurn {
  readonly session: number;
  readonly turn: number;
  readonly last_event: number;
}

/** Appends events of a turn. The caller stores the returned `last` in the session (`setLastEvent`). */
export function appendTurnEvents(
  { connection, now, index }: Context,
  speaker: RunningTurn,
  events: readonly Event[],
): { last: number; at: number } {
  const { session, turn } = speaker;
  const at = now();
  let number = speaker.last_event;
  for (const event of events) {
    number += 1;
    appendEvent(connection, { session, number, turn, at, body: storableJson(event) });
    if (event.type === 'message') index.noteSaid();
    else if (event.type === 'ask' || event.type === 'ask-ended')
      storeAsk(connection, { session, turn, at }, event);
    else storeAgentFacts(connection, { session, now: at }, event);
  }
  return { last: number, at };
}

// Reads the index by session and number, so that each page costs the same. A `user` event is stored before a turn takes its
// message: its turn is read from `messages`, so that taking a message does not write to `events`.
const READ_EVENTS = `
  select number, at, body, (select id from turns where seq = coalesce(events.turn,
    (select turn from messages where id = events.body ->> 'messageId' and number = events.number))) as turn_id,
    (select started_at from turns where seq = events.turn and end_number = events.number) as started_at
  from events
  where session = (select seq from sessions where id = :sessionId) and number > :after
  order by number
  limit :limit`;

interface EventRow {
  readonly number: number;
  readonly at: number;
  readonly body: string;
  readonly turn_id: string | null;
  readonly started_at: number | null;
}

interface Page {
  readonly sessionId: string;
  readonly after: number;
  readonly limit: number;
  /** Characters of JSON after which the page ends. */
  readonly bytes?: number;
}

function readEvents(connection: Connection, page: Page): StoredEvent[] {
  const { bytes = Number.POSITIVE_INFINITY, ...range } = page;
  let size = 0;
  const isEnough = ({ body }: EventRow): boolean => {
    size += body.length;
    return size >= bytes;
  };
  return listRowsUntil<EventRow>(connection, READ_EVENTS, range, isEnough).map((row) => ({
    sessionId: page.sessionId,
    number: row.number,
    turnId: row.turn_id ?? undefined,
    at: row.at,
    ...(row.started_at === null ? {} : { startedAt: row.started_at }),
    event: JSON.parse(row.body) as StoredEvent['event'],
  }));
}

const HAS_SAID = 'select 1 from events where session = :session and number > :after and turn = :turn limit 1';

export function hasTurnEvents(
  connection: Connection,
  turn: { readonly session: number; readonly turn: number; readonly after: number },
): boolean {
  return findRow(connection, HAS_SAID, turn) !== undefined;
}

// Backwards from the newest event to `:after`, the last one before the turn.
const LAST_SAID = `
  select body ->> 'text' as text
  from events
  where session = :session and number > :after and body ->> 'type' = 'message'
  order by number desc
  limit 1`;

/** The text of the last `message` event of the running turn; empty without one. */
export function readLastMessage(
  connection: Connection,
  turn: { readonly session: number; readonly after: number },
): string {
  return findRow<{ text: string }>(connection, LAST_SAID, turn)?.text ?? '';
}
