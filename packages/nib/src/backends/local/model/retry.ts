import { setTimeout as sleep } from 'node:timers/promises';
import { type ServerCode, ServerError } from './error.ts';

/** How often and how long to wait for a server that is in trouble. */
export interface Patience {
  readonly attempts: number;
  readonly firstWaitMs: number;
  /** Also the most that a server can ask for. */
  readonly longestWaitMs: number;
}

export const PATIENCE: Patience = { attempts: 4, firstWaitMs: 1_000, longestWaitMs: 60_000 };

/** A server that is not there will not be there a second later either: somebody has to start it. */
const WORTH_ANOTHER_TRY: ReadonlySet<ServerCode> = new Set(['rate-limited', 'trouble', 'broken-off']);

/** Tries again what is worth it, as long as `mayRepeat`. Each wait is twice the one before, or what the server asked for. */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  patience: Patience,
  signal: AbortSignal,
  mayRepeat: () => boolean,
): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      const passing = error instanceof ServerError && WORTH_ANOTHER_TRY.has(error.code);
      if (!passing || tried >= patience.attempts || !mayRepeat()) throw error;
      const waitMs = error.retryAfterMs ?? patience.firstWaitMs * 2 ** (tried - 1);
      if (waitMs > patience.longestWaitMs) throw error;
      await sleep(waitMs, undefined, { signal });
    }
  }
}
