import { type Connection, run } from '../../connection.ts';

const SQL = 'delete from tokens where id = :id';

/** Removes a token; false when there is none. */
export function revokeToken(connection: Connection, id: string): boolean {
  return run(connection, SQL, { id }).changes > 0;
}
