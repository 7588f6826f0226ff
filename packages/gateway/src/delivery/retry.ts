const FIRST_MS = 1_000;
const LONGEST_MS = 5 * 60_000;

/**
 * Delay before the next attempt: exponential up to 5 minutes, with jitter, so that deliveries that failed together are
 * not retried together.
 */
export function retryDelay(attempts: number, random: () => number = Math.random): number {
  const full = Math.min(FIRST_MS * 2 ** Math.max(0, attempts - 1), LONGEST_MS);
  return Math.round(full * (0.5 + random() / 2));
}

const LONGEST_EXTRA_MS = 1_000;

/** `afterMs` from the platform is the minimum; jitter is added. */
export function addJitter(afterMs: number, random: () => number = Math.random): number {
  return Math.ceil(afterMs + random() * Math.min(afterMs / 10, LONGEST_EXTRA_MS));
}
