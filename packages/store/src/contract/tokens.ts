import type { Token } from './records.ts';

/** Who may come in; only hashes are kept. */
export interface Tokens {
  add(token: {
    readonly id: string;
    readonly name: string;
    readonly hash: string;
    readonly scopes: readonly string[];
    readonly expiresInMs?: number;
  }): Promise<Token>;
  /** The token with this hash, unless it has been revoked or has expired; notes, to the minute, that it was used. */
  find(hash: string): Promise<Token | undefined>;
  list(): Promise<readonly Token[]>;
  revoke(id: string): Promise<boolean>;
}
