import type { Child } from '../child.ts';
import type { Command, Limits } from '../command.ts';
import { createFailedChild, spawn } from '../spawn.ts';
import { createClosedFailure } from '../spawn-failure.ts';

export type SpawnerKind = 'direct' | 'native' | 'node';

/** A way to start processes. */
export interface Spawner {
  /** `direct` forks this process; `native` and `node` ask a helper, written in C or for Node. */
  readonly kind: SpawnerKind;
  /** Never throws: a failed start gives an ending with the cause `spawn`. */
  spawn(command: Command, limits?: Limits): Child;
  /** Stops all running processes and resolves when they have ended. */
  close(): Promise<void>;
}

type Start = (command: Command, limits: Limits) => Child;

/** Spawns from this process; `fork` blocks the event loop in proportion to our RSS. */
export function directSpawner(): Spawner {
  return createTrackingSpawner('direct', spawn, async () => {});
}

/** Tracks the running children, so that `close` can stop them. */
export function createTrackingSpawner(kind: SpawnerKind, start: Start, shut: () => Promise<void>): Spawner {
  const running = new Set<Child>();
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    for (const child of running) child.stop('cancel');
    await Promise.all([...running].map((child) => child.ended));
    await shut();
  }
  return {
    kind,
    spawn(command, limits = {}) {
      if (closing) return createFailedChild(Promise.resolve(createClosedFailure(command)), performance.now());
      const child = start(command, limits);
      running.add(child);
      void child.ended.then(() => running.delete(child));
      return child;
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}
