const FIRST_WAIT = 300;
const LONGEST_WAIT = 15_000;

/** How long to wait before try number `attempt`, counted from 0: doubling, and spread so that tabs do not march in step. */
export function backoff(attempt: number, random: () => number = Math.random): number {
  const whole = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** Math.min(attempt, 10));
  return whole * (0.5 + random() / 2);
}

const reached = new EventTarget();

/** The gateway has just answered somebody: whoever waits may try at once. */
export function noteReached(): void {
  reached.dispatchEvent(new Event('reached'));
}

/** Settles after `ms`, or sooner when the gateway or the network is back, or the page is looked at again. */
export function waitForChance(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = new AbortController();
    const finish = (): void => {
      clearTimeout(timer);
      done.abort();
      resolve();
    };
    const timer = setTimeout(finish, ms);
    const listening = { signal: done.signal };
    reached.addEventListener('reached', finish, listening);
    window.addEventListener('online', finish, listening);
    document.addEventListener('visibilitychange', () => document.hidden || finish(), listening);
    if (signal.aborted) finish();
    else signal.addEventListener('abort', finish, listening);
  });
}

/** Settles at once when the page is shown, else when it is shown again. */
export function untilShown(signal: AbortSignal): Promise<void> {
  return document.hidden && !signal.aborted
    ? waitForChance(60_000, signal).then(() => untilShown(signal))
    : Promise.resolve();
}
