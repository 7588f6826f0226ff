import { setImmediate as nextRound, setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../src/clock.ts';

/** A clock that moves only when a test says so. */
export interface FakeClock extends Clock {
  /** Lets time pass. Timers run in order, and each has what follows from it done before the next. */
  pass(ms: number): Promise<void>;
  /** Lets time pass, in steps of 10 ms and later of a tenth of what has passed, until `condition` holds. */
  passUntil(condition: () => boolean | Promise<boolean>, what: string): Promise<void>;
}

/** Rounds of the event loop in which promises, and commits of a store, settle. */
const ROUNDS = 5;

/** Real time in which files are read and written: on a loaded machine the fake clock would else overtake them. */
const FILES_MS = 1;

/** Longest time that a test lets pass for one condition. */
const MOST_MS = 15 * 60_000;

export function createFakeClock(): FakeClock {
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  let now = 1_000;
  const settle = async (): Promise<void> => {
    for (let round = 0; round < ROUNDS; round += 1) await nextRound();
  };
  const pass = async (ms: number): Promise<void> => {
    const end = now + ms;
    await settle();
    for (;;) {
      const [next] = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      timers.delete(next);
      now = Math.max(now, next.at);
      next.run();
      await settle();
    }
    now = end;
  };
  return {
    now: () => now,
    date: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    pass,
    async passUntil(condition, what) {
      const began = now;
      while (!(await condition())) {
        if (now - began > MOST_MS) throw new Error(`Waited in vain for ${what}.`);
        await sleep(FILES_MS);
        await pass(Math.max(10, (now - began) / 10));
      }
    },
  };
}
