import { createAlarm } from '../alarm.ts';
import type { Child, StopOptions } from '../child.ts';
import type { Ending } from '../ending.ts';
import { createCrashes } from './crashes.ts';
import { createShelf } from './shelf.ts';

const DEFAULT_IDLE_MS = 5 * 60_000;

/** A start holds up the event loop for milliseconds; the turn that just took a process comes first. */
const REFILL_DELAY_MS = 50;

/** A program that waits on stdin leaves by itself when it closes. */
const INPUT_GRACE_MS = 500;

/** What a pool keeps, and how much of it. */
export interface PoolOptions {
  readonly size: number;
  readonly start: () => Child;
  /** A process that has waited longer is replaced; default 5 minutes. */
  readonly maxIdleMs?: number;
  /** The program died too often before it was taken; the pool starts no more until `warm`, or a `take` a minute later. */
  readonly onError?: (ending: Ending) => void;
}

/** Processes that wait for their turn. */
export interface Pool {
  /** A live process that has not had its turn, or undefined: start one yourself. */
  take(): Child | undefined;
  readonly waiting: number;
  /**
   * Resolves when `size` processes wait, those included that a spawn helper is still starting; also when the pool is
   * closed or has given up.
   */
  warm(): Promise<void>;
  /** Ends those that wait. `graceMs` is how long they have for that; as their own limits say when absent. */
  close(how?: Pick<StopOptions, 'graceMs'>): Promise<void>;
}

/** Keeps processes started ahead, for programs that wait for their turn on stdin. */
export function createPool(options: PoolOptions): Pool {
  const crashes = createCrashes();
  const leaving = createDeparture();
  const shelf = createShelf(options.maxIdleMs ?? DEFAULT_IDLE_MS, { onDeath: bury, onStale: replace });
  const refill = createRefill(fill);
  let warmers: Array<() => void> = [];
  let closed = false;

  function fill(): void {
    if (!isIdle()) startOne();
    if (!isIdle()) return;
    for (const done of warmers) done();
    warmers = [];
  }
  function isIdle(): boolean {
    return closed || crashes.tooMany || shelf.size >= options.size;
  }
  function startOne(): void {
    if (crashes.pauseMs > 0) return refill.within(crashes.pauseMs);
    const child = options.start();
    if (child.stdout === null) return bury(child, 0);
    shelf.add(child);
    // One start per turn of the event loop, so that filling a pool never adds up to one long stall.
    refill.within(0);
  }
  function replace(child: Child): void {
    fill();
    leaving.send(child, { inputGraceMs: INPUT_GRACE_MS });
  }
  function bury(child: Child, ageMs: number): void {
    void leaving.send(child).then((ending) => {
      if (closed || crashes.tooMany) return;
      // What the helper took along says nothing about the program.
      if (ending.failure?.code !== 'helper-lost') crashes.record(ageMs);
      refill.within(0);
      if (crashes.tooMany) options.onError?.(ending);
    });
  }

  refill.within(0);
  return {
    take() {
      const child = shelf.take();
      if (closed) return child;
      if (crashes.tooMany && crashes.pauseMs === 0) crashes.forget();
      refill.within(REFILL_DELAY_MS);
      if (child) {
        crashes.forget();
        void child.ended.then(() => closed || refill.within(0));
      }
      return child;
    },
    get waiting() {
      return shelf.size;
    },
    warm() {
      crashes.forget();
      return new Promise((resolve) => {
        warmers.push(resolve);
        fill();
      });
    },
    async close(how = {}) {
      closed = true;
      refill.clear();
      const inputGraceMs = Math.min(INPUT_GRACE_MS, how.graceMs ?? INPUT_GRACE_MS);
      for (const child of shelf.clear()) leaving.send(child, { inputGraceMs, ...how });
      fill();
      await leaving.all();
    },
  };
}

/** The soonest of the times asked for counts: a stream of takes must not put the refill off for ever. */
function createRefill(fill: () => void) {
  let due = Number.POSITIVE_INFINITY;
  const alarm = createAlarm(() => {
    due = Number.POSITIVE_INFINITY;
    fill();
  });
  return {
    within(delay: number): void {
      const time = performance.now() + delay;
      if (time >= due) return;
      due = time;
      alarm.at(due);
    },
    clear: alarm.clear,
  };
}

function createDeparture() {
  const endings = new Set<Promise<Ending>>();
  return {
    send(child: Child, how: StopOptions = {}): Promise<Ending> {
      // Nobody reads the output of a process that was never taken, and its ending would wait for a reader.
      child.stdout?.resume();
      child.stop('cancel', how);
      endings.add(child.ended);
      void child.ended.then(() => endings.delete(child.ended));
      return child.ended;
    },
    all: () => Promise.all(endings),
  };
}
