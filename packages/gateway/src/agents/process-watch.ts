import { directSpawner, type Spawner } from '@plugboard/process';

/** Callbacks for the processes of one agent. */
export interface ProcessWatch {
  onStart(): void;
  /** The process has ended and its process group is empty. */
  onEnd(): void;
}

/** Wraps `spawner` and reports each process to `watch`. */
export function watchedSpawner(watch: ProcessWatch, spawner: Spawner = directSpawner()): Spawner {
  return {
    ...spawner,
    spawn(command, limits) {
      const child = spawner.spawn(command, limits);
      watch.onStart();
      void child.ended.then(() => watch.onEnd());
      return child;
    },
  };
}
