import type { Child, StopOptions } from '@plugboard/process';

/** A process whose turn does not come within this time is ended again. */
const KEEP_MS = 2_000;

/** Processes begun a moment before their turn is certain. */
export interface Ahead {
  /** Begins one. */
  start(): void;
  /** One that was begun and is still alive, the oldest first. */
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
    // Nobody reads what it says, and its ending would wait for a reader.
    child.stdout?.resume();
    child.stop('cancel', how);
    ending.add(child.ended);
    void child.ended.then(() => ending.delete(child.ended));
  };
  return {
    start() {
      const child = begin();
      // One that cannot be started is left alone here: its turn will try again, and tell.
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
