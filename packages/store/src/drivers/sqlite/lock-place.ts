import { realPathOf, takeWatchedLock } from '@plugboard/sqlite';
import { storeProblem } from './problem.ts';

/**
 * Locks a data directory whose store lies elsewhere: takes the lock of `file`, its default store, which need not exist.
 * Does nothing when `file` is the store in SQLite, because `openSqlite` holds that lock. Throws `in-use` as `openSqlite` does.
 */
export function lockPlace(file: string, store?: string): { release(): void } {
  const path = realPathOf(file);
  if (store !== undefined && path === realPathOf(store)) return { release() {} };
  try {
    return takeWatchedLock(path, true);
  } catch (error) {
    throw storeProblem(path, error);
  }
}
