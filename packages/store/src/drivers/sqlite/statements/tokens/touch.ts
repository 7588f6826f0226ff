import { type Connection, run } from '../../connection.ts';

const SQL = 'update tokens set last_used_at = :now where id = :id';

/** Notes that a token was used. */
export function touchToken(connection: Connection, id: string, now: number): void {
  run(connection, SQL, { id, now });
}
