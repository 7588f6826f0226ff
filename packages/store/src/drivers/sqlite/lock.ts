import { existsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { StoreError } from '../../contract/errors.ts';

/** The lock of a process on a database file. */
export interface FileLock {
  /** False when somebody deleted the lock file and another process has taken it since. */
  isHeld(): boolean;
  release(): void;
}

/** How often the holder looks whether its lock file is still there. */
const LOOK_MS = 250;

/** How long a process waits for a holder to come back when a store has no lock file: six looks. */
const ABSENT_MS = 1_500;

/**
 * Takes a database file for this process alone; throws when another process has it.
 *
 * The lock is one that the system holds, on a small database beside the file: it goes with its process however that
 * dies, and no number of a process has to be compared with those of another container. That database tells who has
 * it. It is never deleted, so that a store without one is suspicious: somebody may have deleted it under a process that runs. That
 * process makes it anew within `LOOK_MS`, and whoever opens the store waits for longer than that. `isUnknown`: the file is new, or a copy that no
 * other process can have.
 */
export function takeLock(file: string, isUnknown: boolean): FileLock {
  const path = `${file}.lock`;
  if (!isUnknown && !existsSync(path)) sleepUntilThere(path);
  let held = lockFile(file, path);
  let inode = inodeOf(path);
  let lost = false;
  const look = (): void => {
    if (lost || inodeOf(path) === inode) return;
    try {
      const again = lockFile(file, path);
      held.close();
      held = again;
      inode = inodeOf(path);
    } catch (error) {
      lost = error instanceof StoreError && error.code === 'in-use';
    }
  };
  const timer = setInterval(look, LOOK_MS).unref();
  return {
    isHeld: () => !lost,
    release() {
      clearInterval(timer);
      held.close();
    },
  };
}

function lockFile(file: string, path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('begin immediate; create table if not exists owner (pid integer); delete from owner');
    database.prepare('insert into owner values (?)').run(process.pid);
    // Only what is committed can be read by others. Whoever slips in between the two has the lock, and we are refused.
    database.exec('commit; begin immediate');
    return database;
  } catch (error) {
    const owner = ownerOf(database);
    database.close();
    if ((error as { errcode?: number }).errcode !== 5) throw error;
    throw new StoreError('in-use', `The file ${file} is in use by ${owner}.`, error);
  }
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

/** Blocks: a store is opened before anything else is done. */
function sleepUntilThere(path: string): void {
  const nobody = new Int32Array(new SharedArrayBuffer(4));
  for (let waited = 0; waited < ABSENT_MS && !existsSync(path); waited += 50) Atomics.wait(nobody, 0, 0, 50);
}

function ownerOf(database: DatabaseSync): string {
  try {
    const { pid } = database.prepare('select pid from owner').get() ?? {};
    return pid === undefined ? 'another process' : `process ${pid}`;
  } catch {
    return 'another process';
  }
}
