import { type Connection, theRow } from '../../connection.ts';
import type { SessionRow } from '../../records/session.ts';
import { LOWEST_RANK, OLDEST_PRINCIPAL } from './rank.ts';

const OLDEST = `(select min(messages.seq) from messages where session = sessions.seq and state = 'waiting')`;

// Counts what there is, so that however messages were moved, the session tells the truth about them. A message that was put back was
// next once, and is so again.
const SQL = `
  update sessions
  set (waiting, oldest_waiting) =
    (select count(*), min(messages.seq) from messages where session = sessions.seq and state = 'waiting'),
    principal = ${OLDEST_PRINCIPAL},
    rank = iif(${OLDEST} < coalesce(oldest_waiting, ${OLDEST} + 1), ${LOWEST_RANK}, rank)
  where seq = :session
  returning *`;

/** Counts the messages of a session that wait, after some were taken, dropped or put back. */
export function countWaiting(connection: Connection, session: number): SessionRow {
  return theRow(connection, SQL, { session });
}
