import type { StoredEvent } from '../../../../contract/records.ts';
import { storableText } from '../../../../storable.ts';
import { type Connection, rows, run } from '../../connection.ts';
import { indexText } from './index-text.ts';

const NEXT = 'select seq, body from events where seq > (select seq from indexed) order by seq limit :limit';
const NOTE = 'update indexed set seq = :seq';

/** Makes the words of the next events findable; returns how many events that were. */
export function indexNext(connection: Connection, limit: number): number {
  const found = rows<{ seq: number; body: string }>(connection, NEXT, { limit });
  for (const { seq, body } of found) {
    const event = JSON.parse(body) as StoredEvent['event'];
    if (event.type === 'user' || event.type === 'message')
      indexText(connection, seq, storableText(event.text));
  }
  const last = found.at(-1);
  if (last !== undefined) run(connection, NOTE, { seq: last.seq });
  return found.length;
}
