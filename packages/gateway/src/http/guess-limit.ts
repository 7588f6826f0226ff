import { Problem } from './problem.ts';
import { createRateLimit } from './rate-limit.ts';

/** Failed logins per minute, of one address and in total. */
const PER_MINUTE = 20;
const IN_ALL_PER_MINUTE = 1_000;

/**
 * Rate limit of wrong tokens and codes. A valid token is accepted at any count: guesses of one client do not lock out
 * another.
 */
export interface GuessLimit {
  /** Counts a failure; throws a `Problem` beyond the limit. */
  wrong(source: string): void;
}

export function createGuessLimit(now: () => number): GuessLimit {
  const bySource = createRateLimit(() => PER_MINUTE, now);
  const inAll = createRateLimit(() => IN_ALL_PER_MINUTE, now);
  return {
    wrong(source) {
      const wait = bySource.take(source) ?? inAll.take('');
      if (wait !== undefined) throw new Problem('too-many', 'Too many wrong keys. Wait a moment.', wait);
    },
  };
}
