import { createAlarm } from '../alarm.ts';
import type { Child, StopOptions } from '../child.ts';
import type { Ending } from '../ending.ts';
import { createCrashBackoff } from './crash-backoff.ts';
import { createIdleProcesses } from './idle-processes.ts';

const DEFAULT_IDLE_MS = 5 * 60_000;

/** A start blocks the event loop for some 2 ms; the turn that just took a process comes first. */
const REFILL_DELAY_MS = 50;

/** A program that waits on stdin exits by itself when stdin closes. */
const INPUT_GRACE_MS = 500;

/** Options of `createPool`. */
export interface PoolOptions {
  readonly size: number;
  readonly start: () => Child;
  /** A process that has waited longer is replaced; default 5 minutes. */
  readonly maxIdleMs?: number;
  /**
   * Called when the program has crashed 3 times in a row before a `take`. The pool starts it again on `warm`, or on a
   * `take` at least 60 s later.
   */
  readonly onError?: (ending: Ending) => void;
}

/** Processes that wait for their turn. */
export interface Pool {
  /** Takes a live process without a turn yet; undefined when none waits: the caller starts one. */
  take(): Child | undefined;
  readonly waiting: number;
  /**
   * Resolves when `size` processes wait, including those that a spawn helper is still starting; also when the pool is
   * closed or has given up.
   */
  warm(): Promise<void>;
  /** Ends the waiting processes. `graceMs` defaults to the limits of each process. */
  close(how?: Pick<StopOptions, 'graceMs'>): Promise<void>;
}

/** Starts processes ahead, for programs that wait for their turn on stdin. */
export function createPool(options: PoolOptions): Pool {
  const backoff = createCrashBackoff();
  const stopping = createStopList();
  const idle = createIdleProcesses(options.maxIdleMs ?? DEFAULT_IDLE_MS, {
    onExit: handleExit,
    onStale: replace,
  });
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
    return closed || backoff.tooMany || idle.size >= options.size;
  }
  function startOne(): void {
    if (backoff.pauseMs > 0) return refill.within(backoff.pauseMs);
    const child = options.start();
    if (child.stdout === null) return handleExit(child, 0);
    idle.add(child);
    // One start per iteration of the event loop: filling a pool must not add up to one long stall.
    refill.within(0);
  }
  function replace(child: Child): void {
    fill();
    stopping.stop(child, { inputGraceMs: INPUT_GRACE_MS });
  }
  function handleExit(child: Child, ageMs: number): void {
    void stopping.stop(child).then((ending) => {
      if (closed || backoff.tooMany) return;
      // An ending with `helper-lost` is no crash of the program.
      if (ending.failure?.code !== 'helper-lost') backoff.record(ageMs);
      refill.within(0);
      if (backoff.tooMany) options.onError?.(ending);
    });
  }

  refill.within(0);
  return {
    take() {
      const child = idle.take();
      if (closed) return child;
      if (backoff.tooMany && backoff.pauseMs === 0) backoff.reset();
      refill.within(REFILL_DELAY_MS);
      if (child) {
        backoff.reset();
        void child.ended.then(() => closed || refill.within(0));
      }
      return child;
    },
    get waiting() {
      return idle.size;
    },
    warm() {
      backoff.reset();
      return new Promise((resolve) => {
        warmers.push(resolve);
        fill();
      });
    },
    async close(how = {}) {
      closed = true;
      refill.clear();
      const inputGraceMs = Math.min(INPUT_GRACE_MS, how.graceMs ?? INPUT_GRACE_MS);
      for (const child of idle.clear()) stopping.stop(child, { inputGraceMs, ...how });
      fill();
      await stopping.waitForAll();
    },
  };
}

/** The earliest requested time wins: a stream of `take` calls must not postpone the refill for ever. */
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

function createStopList() {
  const endings = new Set<Promise<Ending>>();
  return {
    stop(child: Child, how: StopOptions = {}): Promise<Ending> {
      // The output of a process that was never taken has no reader, and `ended` would wait for one.
      child.stdout?.resume();
      child.stop('cancel', how);
      endings.add(child.ended);
      void child.ended.then(() => endings.delete(child.ended));
      return child.ended;
    },
    waitForAll: () => Promise.all(endings),
  };
}
