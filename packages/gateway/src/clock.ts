/** Time and timers. Tests pass their own clock, which only moves when they say so. */
export interface Clock {
  /** Monotonic clock in milliseconds, for durations. */
  now(): number;
  /** Milliseconds since 1970, which a change of the system time moves. */
  date(): number;
  /** Calls `run` once, after `ms`; the returned function cancels it. The timer does not keep the process alive. */
  after(ms: number, run: () => void): () => void;
}

/** Longer timers of Node fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, Math.min(ms, LONGEST_TIMER_MS)).unref();
    return () => clearTimeout(timer);
  },
};

/** Resolves after `ms`, or as soon as `signal` is aborted. */
export function sleep({ after }: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const finish = (): void => {
      cancel();
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const cancel = after(ms, finish);
    signal?.addEventListener('abort', finish);
  });
}
