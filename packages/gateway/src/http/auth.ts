import type { Store } from '@plugboard/store';
import type { Guesses } from './guesses.ts';
import { Problem } from './problem.ts';
import { hashOf } from './secrets.ts';

/**
 * - `chat`: talk to agents, and read what was said.
 * - `inspect`: see the raw frames of turns.
 * - `admin`: everything about the gateway itself.
 * - `metrics`: the counters.
 * - `agent:NAME`: only this agent, beside others so named.
 */
export const SCOPES = ['chat', 'inspect', 'admin', 'metrics'] as const;

export type Scope = (typeof SCOPES)[number];

/** A scope that takes away: the token is good on this machine alone. The operator's token in `gateway.json` has it. */
export const LOCAL = 'local';

/** Who sent a request. */
export interface Principal {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  /** Of the secret it came with, to look it up again. */
  readonly hash: string;
}

export const COOKIE = 'plugboard_session';

export interface Authenticator {
  /** Who this is; rejects with a Problem when it is nobody known. */
  identify(credentials: Credentials): Promise<Principal>;
  /** Drops a revoked token from memory: its next request is refused. */
  forget(tokenId: string): void;
}

interface Credentials {
  readonly authorization: string | undefined;
  readonly cookie: string | undefined;
  /** The address it comes from. */
  readonly source: string;
}

/** How long a token is known without asking the store again; one that another process revoked may be good for as long. */
const KNOWN_MS = 2_000;

/** `now` must be a monotonic clock: by one that is set back, a token that another process revoked would stay known. */
export function createAuthenticator(store: Store, guesses: Guesses, now: () => number): Authenticator {
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

/** Rejects whoever may not do this. */
export function demand(principal: Principal, scope: Scope): void {
  if (principal.scopes.includes(scope) || principal.scopes.includes('admin')) return;
  throw new Problem('forbidden', `This token lacks the scope "${scope}".`);
}

/** Whether a token is for an operator, who sees what agents write beside their answers. */
export function mayInspect({ scopes }: Principal): boolean {
  return scopes.includes('inspect') || scopes.includes('admin');
}

/** Whether a token is for some agents only. */
export function namesAgents({ scopes }: Principal): boolean {
  return scopes.some((scope) => scope.startsWith('agent:'));
}

/** Whether a token that names agents names this one; one that names none is for all. */
export function mayUse(principal: Principal, agent: string): boolean {
  return !namesAgents(principal) || principal.scopes.includes(`agent:${agent}`);
}

export function bearerOf(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : /^bearer +(\S+)$/i.exec(authorization)?.[1];
}

export function cookieOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const pairs = header.split(';').map((pair) => pair.trim().split('='));
  return pairs.find(([name]) => name === COOKIE)?.[1];
}
