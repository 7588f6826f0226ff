import { type Connection, run } from '../../connection.ts';

const SQL = 'update sessions set lease_until = :until where seq = :session';

/** Extends the lease of a session that the caller holds. */
export function renewLease(connection: Connection, session: number, until: number): void {
  run(connection, SQL, { session, until });
}
