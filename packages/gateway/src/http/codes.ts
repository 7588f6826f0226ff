import { randomBytes } from 'node:crypto';
import { hashOf } from './secrets.ts';

const LIFETIME_MS = 5 * 60_000;
const MOST = 32;

/** Codes for logging in a browser: each is good once, and for five minutes. */
export interface LoginCodes {
  create(): string;
  /** Whether this one is good; it is not afterwards. */
  take(code: string): boolean;
}

/** Kept in memory: a restart makes them worthless, and a new one costs nothing. */
export function createLoginCodes(now: () => number): LoginCodes {
  const open = new Map<string, number>();
  return {
    create() {
      const code = randomBytes(15).toString('base64url');
      open.set(hashOf(code), now() + LIFETIME_MS);
      // The oldest stands first.
      for (const [hash] of open) if (open.size > MOST) open.delete(hash);
      return code;
    },
    take(code) {
      const hash = hashOf(code);
      const until = open.get(hash);
      open.delete(hash);
      return until !== undefined && now() < until;
    },
  };
}
