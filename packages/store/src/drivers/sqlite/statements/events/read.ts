import type { StoredEvent } from '../../../../contract/records.ts';
import { type Connection, rows } from '../../connection.ts';

// Reads the index by session and number: a page costs the same wherever in the log it lies.
const SQL = `
  select number, at, body, (select id from turns where seq = events.turn) as turn_id
  from events
  where session = (select seq from sessions where id = :sessionId) and number > :after
  order by number
  limit :limit`;

interface EventRow {
  readonly number: number;
  readonly at: number;
  readonly body: string;
  readonly turn_id: string | null;
}

/** Events of a session after a number, in order. */
export function readEvents(
  connection: Connection,
  page: { readonly sessionId: string; readonly after: number; readonly limit: number },
): StoredEvent[] {
  return rows<EventRow>(connection, SQL, page).map((row) => ({
    sessionId: page.sessionId,
    number: row.number,
    turnId: row.turn_id ?? undefined,
    at: row.at,
    event: JSON.parse(row.body) as StoredEvent['event'],
  }));
}
