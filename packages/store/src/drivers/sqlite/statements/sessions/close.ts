import { type Connection, run } from '../../connection.ts';

// A turn that runs is left to its holder: it ends like any other.
const SQL = 'update sessions set closed = 1, updated_at = :now where seq = :session';

/** Ends a session for good. */
export function closeSession(connection: Connection, session: number, now: number): void {
  run(connection, SQL, { session, now });
}
