import { type Connection, theRow } from '../../connection.ts';
import type { SessionRow } from '../../records/session.ts';
import { OLDEST_PRINCIPAL, rankFor } from './rank.ts';

// One session at a time, in the transaction that found it ready: half the time of one statement that finds and marks many.
const SQL = `
  update sessions
  set running = 1, node = :node, lease_until = :until, fence = fence + 1,
    (waiting, oldest_waiting) =
      (select count(*), min(messages.seq) from messages where session = sessions.seq and state = 'waiting'),
    principal = ${OLDEST_PRINCIPAL}, rank = ${rankFor(OLDEST_PRINCIPAL)}
  where seq = :seq
  returning *`;

/** Marks a session as claimed, and counts what still waits there. */
export function claimReady(
  connection: Connection,
  holder: { readonly seq: number; readonly node: string; readonly until: number },
): SessionRow {
  return theRow(connection, SQL, holder);
}
