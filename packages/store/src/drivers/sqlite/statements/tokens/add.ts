import { type Connection, theRow } from '../../connection.ts';
import type { TokenRow } from '../../records/token.ts';

const SQL = `
  insert into tokens (id, hash, name, scopes, created_at, expires_at)
  values (:id, :hash, :name, :scopes, :now, :expires)
  returning *`;

/** Adds a token. */
export function addToken(
  connection: Connection,
  token: {
    readonly id: string;
    readonly hash: string;
    readonly name: string;
    readonly scopes: string;
    readonly now: number;
    readonly expires: number | null;
  },
): TokenRow {
  return theRow(connection, SQL, token);
}
