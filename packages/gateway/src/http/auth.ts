import type { Store } from '@plugboard/store';
import type { GuessLimit } from './guess-limit.ts';
import { Problem } from './problem.ts';
import { hashOf } from './secrets.ts';

/** Restricts a token to requests from this machine. The operator token in `gateway.json` has it. */
export const LOCAL = 'local';

/** The authenticated sender of a request. */
export interface Principal {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  /** Hash of the token, by which `TokenWatch` checks the token again. */
  readonly hash: string;
}

export const COOKIE = 'plugboard_session';

export interface Authenticator {
  /** Returns the principal; rejects with a `Problem` when no valid token is given. */
  identify(credentials: Credentials): Promise<Principal>;
  /** Removes a revoked token from the cache: its next request is refused. */
  forget(tokenId: string): void;
}

interface Credentials {
  readonly authorization: string | undefined;
  readonly cookie: string | undefined;
  /** Address of the client, by which failed attempts are counted. */
  readonly source: string;
}

/** Lifetime of a cached token. A token that another process revoked may be valid for this time. */
const KNOWN_MS = 2_000;

/**
 * `now` must be a monotonic clock: if the clock were set back, a token that another process revoked would stay cached.
 */
export function createAuthenticator(store: Store, guesses: GuessLimit, now: () => number): Authenticator {
  const known = new Map<string, { principal: Principal; until: number }>();
  const find = async (secret: string): Promise<Principal | undefined> => {
    const hash = hashOf(secret);
    const cached = known.get(hash);
    if (cached !== undefined && cached.until > now()) return cached.principal;
    known.delete(hash);
    const token = await store.tokens.find(hash);
    if (token === undefined) return undefined;
    const principal = { id: token.id, name: token.name, scopes: token.scopes, hash };
    if (known.size > 1_000) known.clear();
    known.set(hash, { principal, until: now() + KNOWN_MS });
    return principal;
  };
  return {
    async identify({ authorization, cookie, source }) {
      const secret = bearerOf(authorization) ?? cookieOf(cookie);
      const principal = secret === undefined ? undefined : await find(secret);
      if (principal !== undefined) return principal;
      if (secret !== undefined) guesses.wrong(source);
      throw new Problem('unauthenticated', 'Log in, or send a token: Authorization: Bearer TOKEN.');
    },
    forget(tokenId) {
      for (const [hash, { principal }] of known) if (principal.id === tokenId) known.delete(hash);
    },
  };
}

export function bearerOf(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : /^bearer +(\S+)$/i.exec(authorization)?.[1];
}

export function cookieOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const pairs = header.split(';').map((pair) => pair.trim().split('='));
  return pairs.find(([name]) => name === COOKIE)?.[1];
}
