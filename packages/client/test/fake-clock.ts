import type { Clock } from '../src/index.ts';

/** A clock that a test moves by hand. */
export interface FakeClock extends Clock {
  /** What was slept so far and has ended by itself, in milliseconds. */
  readonly slept: readonly number[];
  /** Moves to the end of the next sleep; settles when its sleeper has gone on. */
  tick(): Promise<void>;
  /** What `read` gives after a tick, to be polled for. */
  afterTick<T>(read: () => T): () => Promise<T>;
  /** Time passes and nobody wakes up for it. */
  pass(ms: number): void;
}

interface Sleeper {
  readonly at: number;
  readonly ms: number;
  wake(): void;
}

export function createFakeClock(): FakeClock {
  let now = 1_000_000;
  const sleepers = new Set<Sleeper>();
  const slept: number[] = [];
  const clock: FakeClock = {
    slept,
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const wake = (): void => {
          sleepers.delete(sleeper);
          resolve();
        };
        const sleeper: Sleeper = { at: now + ms, ms, wake };
        if (signal?.aborted) return resolve();
        sleepers.add(sleeper);
        signal?.addEventListener('abort', wake);
      }),
    async tick() {
      const [next] = [...sleepers].sort((a, b) => a.at - b.at);
      if (next !== undefined) {
        now = Math.max(now, next.at);
        slept.push(next.ms);
        next.wake();
      }
      await new Promise((resolve) => setImmediate(resolve));
    },
    afterTick: (read) => async () => {
      await clock.tick();
      return read();
    },
    pass(ms) {
      now += ms;
    },
  };
  return clock;
}
