import { createPace } from './pace.ts';
import { Problem } from './problem.ts';

/** Wrong keys that one address may show in a minute, and all together. */
const PER_MINUTE = 20;
const IN_ALL_PER_MINUTE = 1_000;

/** Counts wrong keys and codes. A right one is good whatever was tried before: nobody can lock others out. */
export interface Guesses {
  /** Throws a Problem when it was one too many. */
  wrong(source: string): void;
}

export function createGuesses(now: () => number): Guesses {
  const bySource = createPace(() => PER_MINUTE, now);
  const inAll = createPace(() => IN_ALL_PER_MINUTE, now);
  return {
    wrong(source) {
      const wait = bySource.take(source) ?? inAll.take('');
      if (wait !== undefined) throw new Problem('too-many', 'Too many wrong keys. Wait a moment.', wait);
    },
  };
}
