import { setTimeout as sleep } from 'node:timers/promises';
import { ModelError } from './failure.ts';

/** When a failed request is sent again. */
export interface Patience {
  readonly attempts: number;
  readonly firstWaitMs: number;
  /** A provider that asks for a longer wait is not asked again: its error is thrown. */
  readonly longestWaitMs: number;
  /** Codes of the `ModelError`s after which another attempt can help. */
  readonly retried: ReadonlySet<string>;
}

/**
 * Repeats `attempt` after a `ModelError` of `patience.retried`, as long as `mayRepeat` returns true. Waits
 * double from `firstWaitMs`, unless `retryAfterMs` is set. An abort of `signal` ends a wait at once.
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  patience: Patience,
  signal: AbortSignal,
  mayRepeat: () => boolean,
  onWait: (error: ModelError, waitMs: number) => void,
): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ModelError) || !patience.retried.has(error.code)) throw error;
      const waitMs = error.retryAfterMs ?? patience.firstWaitMs * 2 ** (tried - 1);
      if (tried >= patience.attempts || waitMs > patience.longestWaitMs || !mayRepeat()) throw error;
      onWait(error, waitMs);
      await sleep(waitMs, undefined, { signal });
    }
  }
}
