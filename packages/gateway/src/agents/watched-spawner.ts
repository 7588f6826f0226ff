import { directSpawner, type Spawner } from '@plugboard/process';

/** Hears of the processes of one agent. */
export interface ProcessWatch {
  onStart(): void;
  /** Nothing of it is left. */
  onEnd(): void;
}

/** Starts processes as another spawner does, and tells of each. */
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
