import { type Connection, theRow } from '../../connection.ts';
import type { SessionRow } from '../../records/session.ts';

// Counts what there is, so that however messages were moved, the session tells the truth about them.
const SQL = `
  update sessions
  set (waiting, oldest_waiting) =
    (select count(*), min(messages.seq) from messages where session = sessions.seq and state = 'waiting')
  where seq = :session
  returning *`;

/** Counts the messages of a session that wait, after some were taken, dropped or put back. */
export function countWaiting(connection: Connection, session: number): SessionRow {
  return theRow(connection, SQL, { session });
}
