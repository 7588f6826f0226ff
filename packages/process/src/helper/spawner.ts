import type { Child } from '../child.ts';
import type { Command, Limits } from '../command.ts';
import { spawnerClosed } from '../failure.ts';
import { spawn, stillborn } from '../spawn.ts';

export type SpawnerKind = 'direct' | 'native' | 'node';

/** A way to start processes. */
export interface Spawner {
  /** `direct` forks this process; the others ask a helper, which is written in C (`native`) or for Node (`node`). */
  readonly kind: SpawnerKind;
  /** Never throws: whatever keeps the process from starting is an ending with the cause `spawn`. */
  spawn(command: Command, limits?: Limits): Child;
  /** Stops what it has started and still runs, and resolves when all of it is gone. */
  close(): Promise<void>;
}

type Start = (command: Command, limits: Limits) => Child;

/** Starts processes from this one, which stands still for each start, the longer the bigger it is. */
export function directSpawner(): Spawner {
  return spawnerOf('direct', spawn, async () => {});
}

/** Remembers what runs, so that closing can end it. */
export function spawnerOf(kind: SpawnerKind, start: Start, shut: () => Promise<void>): Spawner {
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
      if (closing) return stillborn(Promise.resolve(spawnerClosed(command)), performance.now());
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
