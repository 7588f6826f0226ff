import { type Connection, run } from '../../connection.ts';

// The fence stays: it only grows, and the next claim makes it grow. A turn that is given back changes nothing else.
const SQL = `
  update sessions set running = 0, node = null, lease_until = null, updated_at = coalesce(:changed, updated_at) where seq = :session`;

/** Lets a session go, for its next turn to be claimed; `changed` is when its turn ended, if it has. */
export function freeSession(connection: Connection, session: number, changed: number | null): void {
  run(connection, SQL, { session, changed });
}
