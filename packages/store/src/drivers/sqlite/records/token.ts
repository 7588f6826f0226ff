import type { Token } from '../../../contract/records.ts';

/** A row of `tokens`. */
export interface TokenRow {
  readonly id: string;
  readonly name: string;
  readonly scopes: string;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly last_used_at: number | null;
}

/** A token as the contract shows it. */
export function toToken(row: TokenRow): Token {
  return {
    id: row.id,
    name: row.name,
    scopes: JSON.parse(row.scopes) as readonly string[],
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
  };
}
