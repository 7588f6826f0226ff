const FIRST_MS = 1_000;
const LONGEST_MS = 5 * 60_000;

/**
 * How long to wait before the next attempt: twice as long each time, up to five minutes, less a part that is drawn anew, so
 * that what failed together is not tried together again.
 */
export function retryDelay(attempts: number, random: () => number = Math.random): number {
  const full = Math.min(FIRST_MS * 2 ** Math.max(0, attempts - 1), LONGEST_MS);
  return Math.round(full * (0.5 + random() / 2));
}

const LONGEST_EXTRA_MS = 1_000;

/** What a platform said to wait is the least; a little is added, for the same reason. */
export function obeyed(afterMs: number, random: () => number = Math.random): number {
  return Math.ceil(afterMs + random() * Math.min(afterMs / 10, LONGEST_EXTRA_MS));
}
