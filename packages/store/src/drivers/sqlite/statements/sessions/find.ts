import { type Connection, row } from '../../connection.ts';
import type { SessionRow } from '../../records/session.ts';

const SQL = 'select * from sessions where id = :id';

/** The session with this id. */
export function findSession(connection: Connection, id: string): SessionRow | undefined {
  return row(connection, SQL, { id });
}
