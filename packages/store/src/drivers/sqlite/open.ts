import { join } from 'node:path';
import {
  hasHardLink,
  type Migration,
  openForWriting,
  readMigrations,
  realPathOf,
  type Schema,
  takeWatchedLock,
} from '@plugboard/sqlite';
import { StoreError } from '../../contract/errors.ts';
import type { Store } from '../../contract/store.ts';
import { openStoreConnection, prepareToWrite } from './connection.ts';
import { storeProblem } from './problem.ts';
import { createStore } from './store.ts';

export interface SqliteOptions {
  /**
   * Milliseconds since 1970, for leases and expiries, which outlive the process. Should be monotonic after the start: a
   * change of the system time would otherwise end leases early.
   */
  readonly clock: () => number;
  /** With `normal`, a power failure can lose the last writes; a crash of the process cannot. Default `full`. */
  readonly synchronous?: 'full' | 'normal';
  /** `false` commits each call alone. By default the writes of one event loop iteration share a commit. */
  readonly together?: boolean;
  /** The file is a fresh copy that no other process can have open: `lockStore` need not wait for a holder. */
  readonly copy?: boolean;
}

/**
 * Opens the store in `file`, or makes a new one. One process can have it open at a time. Throws a `StoreError` that names
 * the file, which is then unchanged.
 */
export function openSqlite(file: string, options: SqliteOptions): Store {
  const path = realPathOf(file);
  refuseHardLink(path);
  try {
    const { connection, lock } = openForWriting(path, {
      schema: ownSchema(),
      connect: openStoreConnection,
      takeLock: (isNew) => takeWatchedLock(path, isNew || options.copy === true),
      prepare: (opened) => prepareToWrite(opened, options.synchronous ?? 'full'),
      now: Math.trunc(options.clock()),
    });
    return createStore(connection, options.clock, lock, options.together);
  } catch (error) {
    throw storeProblem(path, error);
  }
}

/**
 * Refuses a file with a hard link: each path has a lock and a write-ahead log of its own, so that two gateways would
 * write to the file and overwrite pages that only the log of the second has.
 */
function refuseHardLink(path: string): void {
  if (!hasHardLink(path)) return;
  throw new StoreError(
    'unavailable',
    `The file ${path} has another name (a hard link), under which a second gateway could write to it. Make it a file of its own: cp ${path} ${path}.own && mv ${path}.own ${path}`,
  );
}

/** "Plug" in ASCII. */
const APPLICATION_ID = 0x506c7567;

/** The files of `migrations/`, in the order of their numbers. */
export function ownMigrations(): Migration[] {
  return readMigrations(join(import.meta.dirname, 'migrations'));
}

export function ownSchema(): Schema {
  return { applicationId: APPLICATION_ID, migrations: ownMigrations() };
}
