import { randomBytes } from 'node:crypto';
import { hashOf } from './secrets.ts';

const LIFETIME_MS = 5 * 60_000;
const MOST = 32;

/** What a browser may do beside talking and reading. */
interface LoginRights {
  /** Accept people into channels and settle deliveries. */
  readonly operates: boolean;
}

const NO_MORE: LoginRights = { operates: false };

/** One-time login codes for browsers, valid for `LIFETIME_MS`. */
export interface LoginCodes {
  /** A code for a browser that may also `operate`, if that is said. */
  create(rights?: LoginRights): string;
  /** The rights of a valid code, which is used up by the call; undefined for any other. */
  take(code: string): LoginRights | undefined;
}

/** Codes are in memory: a restart invalidates them, and a new one is created without cost. */
export function createLoginCodes(now: () => number): LoginCodes {
  const open = new Map<string, { readonly until: number; readonly rights: LoginRights }>();
  return {
    create(rights = NO_MORE) {
      const code = randomBytes(15).toString('base64url');
      open.set(hashOf(code), { until: now() + LIFETIME_MS, rights });
      // A `Map` iterates in insertion order: the oldest code is dropped first.
      for (const [hash] of open) if (open.size > MOST) open.delete(hash);
      return code;
    },
    take(code) {
      const hash = hashOf(code);
      const found = open.get(hash);
      open.delete(hash);
      return found !== undefined && now() < found.until ? found.rights : undefined;
    },
  };
}
