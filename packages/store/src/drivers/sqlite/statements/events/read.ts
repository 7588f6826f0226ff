import type { StoredEvent } from '../../../../contract/records.ts';
import { type Connection, rowsUntil } from '../../connection.ts';

// Reads the index by session and number: a page costs the same wherever in the log it lies. What people say is in the log
// before a turn has taken it; which one did stands with the message, so that taking it changes nothing in the log.
const SQL = `
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
  /** What is enough, though more would be within the limit. */
  readonly bytes?: number;
}

/** Events of a session after a number, in order. */
export function readEvents(connection: Connection, page: Page): StoredEvent[] {
  const { bytes = Number.POSITIVE_INFINITY, ...range } = page;
  let size = 0;
  const isEnough = ({ body }: EventRow): boolean => {
    size += body.length;
    return size >= bytes;
  };
  return rowsUntil<EventRow>(connection, SQL, range, isEnough).map((row) => ({
    sessionId: page.sessionId,
    number: row.number,
    turnId: row.turn_id ?? undefined,
    at: row.at,
    ...(row.started_at === null ? {} : { startedAt: row.started_at }),
    event: JSON.parse(row.body) as StoredEvent['event'],
  }));
}
