import type { Event } from '@plugboard/protocol';
import { StoreError } from '../../../contract/errors.ts';
import type { EventLog, Noted } from '../../../contract/event-log.ts';
import type { StoredEvent } from '../../../contract/records.ts';
import { storableJson } from '../../../storable.ts';
import { type Connection, findRow, listRows, runStatement, type Transaction } from '../connection.ts';
import { type Context, keyOf } from '../context.ts';
import { searchedText } from '../search/said.ts';
import { storeAgentFacts } from '../sessions/agent-facts.ts';
import { lockSession, setLastEvent } from '../sessions/session-rows.ts';
import { storeAsk } from './asks.ts';

export function createEventLog({ read, write }: Context): EventLog {
  return {
    read: (sessionId, page) => read((connection) => readEvents(connection, { sessionId, ...page })),
    note: (sessionId, notice) =>
      write(sessionId, (transaction) => storeEvent(transaction, sessionId, notice)),
  };
}

// The event that `EventLog.note` has stored under `:key`.
const FIND_NOTICE = `
  select sessions.id as session_id, notices.number
  from notices join sessions on sessions.seq = notices.session
  where notices.id_key = :key`;

interface NoticeRow {
  readonly session_id: string;
  readonly number: number;
}

async function storeEvent(
  transaction: Transaction,
  sessionId: string,
  given: Parameters<EventLog['note']>[1],
): Promise<Noted> {
  const key = keyOf(given.id);
  const known = await findRow<NoticeRow>(transaction, FIND_NOTICE, { key });
  if (known !== undefined) {
    return { event: await readEventAt(transaction, known.session_id, known.number), duplicate: true };
  }
  const number = await appendNote(transaction, sessionId, key, given.event);
  return { event: await readEventAt(transaction, sessionId, number), duplicate: false };
}

const ADD_NOTICE = 'insert into notices (id_key, session, number) values (:key, :session, :number)';

async function appendNote(
  transaction: Transaction,
  sessionId: string,
  key: string,
  event: StoredEvent['event'],
): Promise<number> {
  const { seq: session, last_event } = await lockSession(transaction, sessionId);
  const number = last_event + 1;
  await runStatement(transaction, ADD_NOTICE, { key, session, number });
  await appendEvents(transaction, { session, turn: null, last_event }, [event]);
  await storeAgentFacts(transaction, session, event);
  await setLastEvent(transaction, session, number);
  return number;
}

async function readEventAt(connection: Connection, sessionId: string, number: number): Promise<StoredEvent> {
  const [event] = await readEvents(connection, { sessionId, after: number - 1, limit: 1 });
  if (event === undefined)
    throw new StoreError('not-found', `The session ${sessionId} has no event ${number}.`);
  return event;
}

/** Columns of events as arrays, for `unnest`: one statement text for any number of events. */
export function toEventColumns(events: readonly StoredEvent['event'][]) {
  return {
    types: events.map(({ type }) => type),
    bodies: events.map(storableJson),
    texts: events.map((event) => searchedText(event) ?? null),
  };
}

/** SQL: `:types`, `:bodies` and `:texts` as rows. */
export const GIVEN_EVENTS = `
  unnest(:types::text[], :bodies::text[], :texts::text[]) with ordinality as given (type, body, text, place)`;

// Numbers go on from `last_event` of the session. The primary key refuses a second event with a number.
const APPEND_EVENTS = `
  with added as (
    insert into events (session, number, turn, at, type, body)
    select :session::bigint, :last::bigint + place, :turn::bigint, :now::bigint, type, body from ${GIVEN_EVENTS}),
  searched as (
    insert into said (session, number, text)
    select :session::bigint, :last::bigint + place, text from ${GIVEN_EVENTS} where text is not null)
  select 1`;

/** A session, and the turn that appends events. */
export interface Appender {
  readonly session: number;
  readonly turn: number | null;
  readonly last_event: number;
}

/** Appends events to a locked session. The caller stores the new `last_event`. */
export async function appendEvents(
  transaction: Transaction,
  { session, turn, last_event: last }: Appender,
  events: readonly StoredEvent['event'][],
): Promise<void> {
  if (events.length > 0)
    await runStatement(transaction, APPEND_EVENTS, { session, turn, last, ...toEventColumns(events) });
}

/** A turn that appends events, and the number of the newest event of its session. */
export interface RunningTurn {
  readonly session: number;
  readonly turn: number;
  readonly last_event: number;
}

/** Appends events of a turn, and what they say about its session. Resolves to the number of the last event. */
export async function appendTurnEvents(
  transaction: Transaction,
  speaker: RunningTurn,
  events: readonly Event[],
): Promise<number> {
  await appendEvents(transaction, speaker, events);
  for (const event of events) {
    if (event.type === 'ask' || event.type === 'ask-ended') await storeAsk(transaction, speaker, event);
    else await storeAgentFacts(transaction, speaker.session, event);
  }
  return speaker.last_event + events.length;
}

// Reads the primary key, so that each page costs the same. A `user` event is stored before a turn takes its message: its turn
// is read from `messages`, so that taking a message does not write to `events`.
const READ_EVENTS = `
  select number, at, body,
    (select id from turns where seq = coalesce(events.turn,
      (select messages.turn from messages
       where events.type = 'user' and messages.session = events.session and messages.number = events.number)))
      as turn_id,
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

async function readEvents(connection: Connection, page: Page): Promise<StoredEvent[]> {
  const { bytes = Number.POSITIVE_INFINITY, sessionId, after, limit } = page;
  const rows = await listRows<EventRow>(
    connection,
    bytes === Number.POSITIVE_INFINITY ? READ_EVENTS : READ_SIZED,
    {
      sessionId,
      after,
      limit,
      ...(bytes === Number.POSITIVE_INFINITY ? {} : { bytes }),
    },
  );
  return rows.map((row) => ({
    sessionId,
    number: row.number,
    turnId: row.turn_id ?? undefined,
    at: row.at,
    ...(row.started_at === null ? {} : { startedAt: row.started_at }),
    event: JSON.parse(row.body) as StoredEvent['event'],
  }));
}

// The size before a row decides, so that the page has its first row, and the one that exceeds `:bytes`.
const READ_SIZED = `
  select * from (
    select page.*, sum(length(body)) over (order by number) - length(body) as before
    from (${READ_EVENTS}) as page) as sized
  where before < :bytes
  order by number`;

const HAS_SAID = 'select 1 from events where session = :session and number > :after and turn = :turn limit 1';

export async function hasTurnEvents(
  connection: Connection,
  turn: { readonly session: number; readonly turn: number; readonly after: number },
): Promise<boolean> {
  return (await findRow(connection, HAS_SAID, turn)) !== undefined;
}

// Backwards from the newest event to `:after`, the last one before the turn.
const LAST_SAID = `
  select body from events
  where session = :session and number > :after and type = 'message'
  order by number desc
  limit 1`;

/** The text of the last `message` event of the running turn; empty without one. */
export async function readLastMessage(
  connection: Connection,
  turn: { readonly session: number; readonly after: number },
): Promise<string> {
  const row = await findRow<{ body: string }>(connection, LAST_SAID, turn);
  return row === undefined ? '' : (JSON.parse(row.body) as { text: string }).text;
}
