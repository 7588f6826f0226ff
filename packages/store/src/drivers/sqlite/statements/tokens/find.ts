import { type Connection, row } from '../../connection.ts';
import type { TokenRow } from '../../records/token.ts';

const SQL = 'select * from tokens where hash = :hash and (expires_at is null or expires_at > :now)';

/** The token with this hash, unless it has expired. */
export function findToken(connection: Connection, hash: string, now: number): TokenRow | undefined {
  return row(connection, SQL, { hash, now });
}
