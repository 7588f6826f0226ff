const FIRST_WAIT = 300;
const LONGEST_WAIT = 15_000;

/** How long to wait before try number `attempt`, counted from 0: doubling, and spread so that tabs do not march in step. */
export function backoff(attempt: number, random: () => number = Math.random): number {
  const whole = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** Math.min(attempt, 10));
  return whole * (0.5 + random() / 2);
}
