import { type Connection, run } from '../../connection.ts';

// The fence stays: it only grows, and the next claim makes it grow. A turn that is given back changes nothing else.
const SQL = `
  update sessions
  set running = 0, node = null, lease_until = null, updated_at = coalesce(:changed, updated_at),
    last_event = coalesce(:last, last_event)
  where seq = :session`;

/** Lets a session go, for its next turn to be claimed; if the turn has ended, with the time and the number of its end. */
export function freeSession(
  connection: Connection,
  end: { readonly session: number; readonly changed: number | null; readonly last: number | null },
): void {
  run(connection, SQL, end);
}
