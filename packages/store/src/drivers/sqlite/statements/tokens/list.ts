import { type Connection, rows } from '../../connection.ts';
import type { TokenRow } from '../../records/token.ts';

const SQL = 'select * from tokens order by created_at, id';

/** All tokens, oldest first. */
export function listTokens(connection: Connection): TokenRow[] {
  return rows(connection, SQL);
}
