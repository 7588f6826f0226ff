import type { Child, StopOptions } from '@plugboard/process';

/** A process whose turn does not come within this time is stopped. */
const KEEP_MS = 2_000;

/** Processes that are started shortly before their turn is certain. */
export interface Ahead {
  /** Begins one. */
  start(): void;
  /** The oldest process that was started ahead and is alive. */
  take(): Child | undefined;
  close(how: StopOptions): Promise<void>;
}

export function createAhead(begin: () => Child): Ahead {
  const waiting = new Map<Child, NodeJS.Timeout>();
  const ending = new Set<Promise<unknown>>();

  const remove = (child: Child): void => {
    clearTimeout(waiting.get(child));
    waiting.delete(child);
  };
  const end = (child: Child, how: StopOptions = {}): void => {
    remove(child);
    // Discards stdout: `ended` would wait for a reader of it.
    child.stdout?.resume();
    child.stop('cancel', how);
    ending.add(child.ended);
    void child.ended.then(() => ending.delete(child.ended));
  };
  return {
    start() {
      const child = begin();
      // A failed start (`stdout` is null) is ignored here: the turn starts its own process and reports the failure.
      if (child.stdout === null) return;
      waiting.set(child, setTimeout(() => end(child), KEEP_MS).unref());
      void child.exited.then(() => waiting.has(child) && end(child));
    },
    take() {
      const [child] = waiting.keys();
      if (child !== undefined) remove(child);
      return child;
    },
    async close(how) {
      for (const child of [...waiting.keys()]) end(child, how);
      await Promise.all(ending);
    },
  };
}
