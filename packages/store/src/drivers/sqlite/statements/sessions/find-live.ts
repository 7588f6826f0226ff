import { type Connection, row } from '../../connection.ts';
import type { SessionRow } from '../../records/session.ts';

// `closed = 0` as it stands in the unique index over live sessions, which then answers alone.
const SQL = 'select * from sessions where channel = :channel and place = :place and closed = 0';

/** The one session of a place that is not closed. */
export function findLiveSession(
  connection: Connection,
  at: { readonly channel: string; readonly place: string },
): SessionRow | undefined {
  return row(connection, SQL, { channel: at.channel, place: at.place });
}
