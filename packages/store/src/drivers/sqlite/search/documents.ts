import type { StoredEvent } from '../../../contract/records.ts';
import { foldText } from '../../../folded-text.ts';
import { storableText } from '../../../storable.ts';
import { type Connection, findRow, listRows, runStatement } from '../connection.ts';
import { shortGramsOf } from './words.ts';

/** Indexed event numbers per session. `session * 2^24` is an exact JavaScript number for up to 2^29 sessions. */
const NUMBERS = 2 ** 24;

/** The number of a session's title in `documentOf`; events are numbered from 1. */
export const TITLE = 0;

/** Indexed characters of a text. Indexing 1 MiB takes 100 ms, which block every commit. */
const INDEXED_CHARACTERS = 65_536;

/**
 * The rowid of a text in `said` and `said_short`. The session is in the high bits: hits in the order of rowids are grouped
 * by session, and `hit >> 24` is the session of a hit.
 */
export function documentOf(session: number, number: number): number {
  return session * NUMBERS + number;
}

/** False for event numbers from 2^24 on, which are not indexed. */
function hasDocument(number: number): boolean {
  return number < NUMBERS;
}

const ADD_TEXT = 'insert into said (rowid, text) values (:document, :text)';
const ADD_GRAMS = 'insert into said_short (rowid, grams) values (:document, :grams)';
const REMOVE_TEXT = 'delete from said where rowid = :document';
const REMOVE_GRAMS = 'delete from said_short where rowid = :document';

export function indexText(connection: Connection, document: number, text: string): void {
  if (text === '') return;
  const folded = foldIndexed(text);
  runStatement(connection, ADD_TEXT, { document, text: folded });
  runStatement(connection, ADD_GRAMS, { document, grams: shortGramsOf(folded) });
}

/** Cuts twice to `INDEXED_CHARACTERS`, since `fold` can lengthen a text. */
export function foldIndexed(text: string): string {
  return foldText(text.slice(0, INDEXED_CHARACTERS)).slice(0, INDEXED_CHARACTERS);
}

export function removeText(connection: Connection, document: number): void {
  runStatement(connection, REMOVE_TEXT, { document });
  runStatement(connection, REMOVE_GRAMS, { document });
}

const NEXT_EVENTS =
  'select seq, session, number, body from events where seq > (select seq from indexed) order by seq limit :limit';
const MOVE_MARK = 'update indexed set seq = :seq';

interface EventRow {
  readonly seq: number;
  readonly session: number;
  readonly number: number;
  readonly body: string;
}

/** Indexes up to `limit` events after the mark in `indexed`, and moves the mark. Returns the number of events read. */
export function indexNext(connection: Connection, limit: number): number {
  const events = listRows<EventRow>(connection, NEXT_EVENTS, { limit });
  const documents = events.flatMap(toDocuments);
  // FTS5 flushes its pending terms whenever a rowid is lower than the previous rowid.
  documents.sort((one, other) => one.document - other.document);
  for (const { document, text } of documents) indexText(connection, document, text);
  const last = events.at(-1);
  if (last !== undefined) runStatement(connection, MOVE_MARK, { seq: last.seq });
  return events.length;
}

function toDocuments({ session, number, body }: EventRow): { document: number; text: string }[] {
  if (!hasDocument(number)) return [];
  const text = textOf(body);
  return text === undefined ? [] : [{ document: documentOf(session, number), text: storableText(text) }];
}

/** The text of a `user` or `message` event; undefined for other events, which are not searched. */
export function textOf(body: string): string | undefined {
  // Most events of a long turn are tool calls: `includes` is cheaper than `JSON.parse`.
  if (!body.includes('"type":"user"') && !body.includes('"type":"message"')) return undefined;
  const event = JSON.parse(body) as StoredEvent['event'];
  return event.type === 'user' || event.type === 'message' ? event.text : undefined;
}

const HAS_NEXT = 'select 1 from events where seq > (select seq from indexed) limit 1';

/** Whether an event after the mark in `indexed` exists. */
export function hasUnindexed(connection: Connection): boolean {
  return findRow(connection, HAS_NEXT) !== undefined;
}

// SQLite reuses the `seq` of deleted newest events.
const STEP_BACK =
  'update indexed set seq = (select coalesce(max(seq), 0) from events) where seq > (select coalesce(max(seq), 0) from events)';

/** Call after events were deleted: events with a reused `seq` would otherwise not be indexed. */
export function limitIndexMark(connection: Connection): void {
  runStatement(connection, STEP_BACK);
}
