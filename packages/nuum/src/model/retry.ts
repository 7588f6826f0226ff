import { setTimeout as sleep } from 'node:timers/promises';
import { type ModelError, worthAnotherTry } from './error.ts';

/** How often and how long to wait for a provider that is in trouble. */
export interface Patience {
  readonly attempts: number;
  readonly firstWaitMs: number;
  /** Also the most that a provider can ask for: what wants more ends the turn with its sentence. */
  readonly longestWaitMs: number;
}

export const PATIENCE: Patience = { attempts: 5, firstWaitMs: 1_000, longestWaitMs: 60_000 };

/**
 * Tries again what is worth it. Each wait is twice the one before, or what the provider asked for; a wait ends at once
 * when the signal is aborted.
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  patience: Patience,
  signal: AbortSignal,
  onWait: (error: ModelError, waitMs: number) => void,
): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      if (tried >= patience.attempts || !worthAnotherTry(error)) throw error;
      const waitMs = error.retryAfterMs ?? patience.firstWaitMs * 2 ** (tried - 1);
      if (waitMs > patience.longestWaitMs) throw error;
      onWait(error, waitMs);
      await sleep(waitMs, undefined, { signal });
    }
  }
}
