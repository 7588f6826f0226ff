import { accessSync, closeSync, constants, existsSync, openSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Store } from '../../contract/store.ts';
import { connect, prepareToWrite } from './connection.ts';
import { takeLock } from './lock.ts';
import { inspect, migrate, ownMigrations } from './migrate.ts';
import { storeProblem } from './problem.ts';
import { createStore } from './store.ts';

/** How a store is opened. */
export interface SqliteOptions {
  /**
   * Milliseconds since 1970, by which leases and expiries are measured: they outlive the process. A clock that is set by
   * the wall once and then runs evenly keeps a lease from ending early when somebody sets the wall's.
   */
  readonly clock: () => number;
  /** `normal` can lose the last writes when the machine, not the program, goes down; `full` unless told otherwise. */
  readonly synchronous?: 'full' | 'normal';
  /** The file is a copy that no other process knows of: without a lock file, nobody is waited for. */
  readonly copy?: boolean;
}

/**
 * Opens the store in a file, making the file when there is none. One process has it at a time. Throws a StoreError that
 * names the file when it cannot be had, and has then changed nothing in it.
 */
export function openSqlite(file: string, options: SqliteOptions): Store {
  const path = existsSync(file) ? realpathSync(file) : resolve(file);
  const undo: (() => void)[] = [];
  try {
    const isNew = makeWritable(path);
    const connection = connect(path);
    undo.unshift(() => connection.database.close());
    const migrations = ownMigrations();
    // Before the lock, which is a file: nothing is put beside what is not ours.
    inspect(connection, migrations.length);
    const lock = takeLock(path, isNew || options.copy === true);
    undo.push(lock.release);
    prepareToWrite(connection, options.synchronous ?? 'full');
    migrate(connection, migrations, Math.trunc(options.clock()));
    return createStore(connection, options.clock, lock);
  } catch (error) {
    for (const step of undo) step();
    throw storeProblem(path, error);
  }
}

/**
 * Makes the file when there is none, for the owner's eyes; what SQLite puts beside it takes after it. A file that is there
 * is not opened: to close it again would give up the locks that SQLite may hold on it elsewhere in this process. Returns whether the file is new.
 */
function makeWritable(path: string): boolean {
  const isNew = !existsSync(path) || statSync(path).size === 0;
  if (existsSync(path)) accessSync(path, constants.W_OK);
  else closeSync(openSync(path, 'a', 0o600));
  return isNew;
}
