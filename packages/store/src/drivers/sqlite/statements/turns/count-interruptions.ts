import { type Connection, theRow } from '../../connection.ts';

// The turns of a session are few enough to look through; a turn that nobody asked for has no message, and counts none.
const SQL = `
  select count(*) as interruptions
  from turns join sessions on sessions.seq = turns.session
  where turns.session = :session and turns.state = 'interrupted' and sessions.closed = 0
    and turns.message = (select message from turns where seq = :turn)`;

/** How often the message of a turn has been interrupted; 0 when there is none, or nobody waits for it any more. */
export function countInterruptions(
  connection: Connection,
  at: { readonly session: number; readonly turn: number },
): number {
  return theRow<{ interruptions: number }>(connection, SQL, at).interruptions;
}
