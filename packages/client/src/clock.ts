/** Time as the functions of this package see it; a test may hand in its own. */
export interface Clock {
  /** Milliseconds by the wall clock: timers stand still while a computer sleeps, and `now` does not. */
  now(): number;
  /** Resolves after `ms`, or as soon as `signal` is aborted; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const finish = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', finish);
        resolve();
      };
      const timer = setTimeout(finish, ms);
      signal?.addEventListener('abort', finish);
    }),
};
