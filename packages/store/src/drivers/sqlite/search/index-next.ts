import type { StoredEvent } from '../../../contract/records.ts';
import { storableText } from '../../../storable.ts';
import { type Connection, rows, run } from '../connection.ts';
import { documentOf, hasDocument } from './document.ts';
import { indexText } from './index-text.ts';

const NEXT =
  'select seq, session, number, body from events where seq > (select seq from indexed) order by seq limit :limit';
const NOTE = 'update indexed set seq = :seq';

interface EventRow {
  readonly seq: number;
  readonly session: number;
  readonly number: number;
  readonly body: string;
}

/** Indexes the next events after the mark in `indexed`, and moves the mark; returns how many events it read. */
export function indexNext(connection: Connection, limit: number): number {
  const events = rows<EventRow>(connection, NEXT, { limit });
  const documents = events.flatMap(toDocuments);
  // FTS5 flushes its pending terms whenever a rowid is lower than the one before.
  documents.sort((one, other) => one.document - other.document);
  for (const { document, text } of documents) indexText(connection, document, text);
  const last = events.at(-1);
  if (last !== undefined) run(connection, NOTE, { seq: last.seq });
  return events.length;
}

function toDocuments({ session, number, body }: EventRow): { document: number; text: string }[] {
  if (!hasDocument(number)) return [];
  const text = saidIn(body);
  return text === undefined ? [] : [{ document: documentOf(session, number), text: storableText(text) }];
}

/** The text of an event that a search looks at: what a person or an agent said. Undefined for every other event. */
export function saidIn(body: string): string | undefined {
  // Most events of a long turn are tool calls: a look at the string is cheaper than to parse them.
  if (!body.includes('"type":"user"') && !body.includes('"type":"message"')) return undefined;
  const event = JSON.parse(body) as StoredEvent['event'];
  return event.type === 'user' || event.type === 'message' ? event.text : undefined;
}
