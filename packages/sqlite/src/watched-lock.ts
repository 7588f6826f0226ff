import { existsSync, statSync } from 'node:fs';
import { DatabaseFailure } from './failure.ts';
import { type FileLock, takeLock } from './lock.ts';

/** A `FileLock` that is taken again when its file is deleted. */
export interface WatchedLock extends FileLock {
  /** False when the lock file was deleted and another process has taken the lock since. */
  isHeld(): boolean;
}

/** Interval at which the holder checks that its lock file exists. */
const LOOK_MS = 250;

/** An opener that finds no lock file waits this long, 6 times `LOOK_MS`, for a holder to make it again. */
const ABSENT_MS = 1_500;

/**
 * Locks a database file for this process, and again within `LOOK_MS` when the lock file is deleted. No process deletes it, so a
 * missing lock file can mean that a user deleted it under a running process. An opener therefore waits for `ABSENT_MS`,
 * unless `isUnknown`: the file is new, or a copy that no other process can have open.
 */
export function takeWatchedLock(file: string, isUnknown: boolean): WatchedLock {
  const path = `${file}.lock`;
  if (!isUnknown && !existsSync(path)) sleepUntilThere(path);
  let held = takeLock(file);
  let inode = inodeOf(path);
  let lost = false;
  const look = (): void => {
    if (lost || inodeOf(path) === inode) return;
    try {
      const again = takeLock(file);
      held.release();
      held = again;
      inode = inodeOf(path);
    } catch (error) {
      lost = error instanceof DatabaseFailure && error.kind === 'in-use';
    }
  };
  const timer = setInterval(look, LOOK_MS).unref();
  return {
    isHeld: () => !lost,
    release() {
      clearInterval(timer);
      held.release();
    },
  };
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

/** Blocks the event loop: databases are opened synchronously, before other work. */
function sleepUntilThere(path: string): void {
  const nobody = new Int32Array(new SharedArrayBuffer(4));
  for (let waited = 0; waited < ABSENT_MS && !existsSync(path); waited += 50) Atomics.wait(nobody, 0, 0, 50);
}
