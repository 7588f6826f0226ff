import { type Connection, theRow } from '../../connection.ts';
import { rankFor } from './rank.ts';

// Counts up, where moving messages counts anew: an admission is what happens most.
const SQL = `
  update sessions
  set last_event = :number, waiting = waiting + 1, oldest_waiting = coalesce(oldest_waiting, :message),
    principal = iif(oldest_waiting is null, :principal, principal),
    rank = iif(oldest_waiting is null, ${rankFor(':principal')}, rank),
    updated_at = :now
  where seq = :session
  returning rank`;

/** Notes that a message, whose event has this number, waits; returns the rank of the session. */
export function noteAdmitted(
  connection: Connection,
  admitted: {
    readonly session: number;
    readonly message: number;
    readonly principal: string;
    readonly number: number;
    readonly now: number;
  },
): number {
  return theRow<{ rank: number }>(connection, SQL, admitted).rank;
}
