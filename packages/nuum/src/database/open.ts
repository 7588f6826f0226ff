import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { resolve } from 'node:path';
import { type Connection, connect, prepareToWrite } from './connection.ts';
import { MemoryError } from './error.ts';
import { takeLock } from './lock.ts';
import { inspect, migrate, ownMigrations } from './migrate.ts';
import { memoryProblem } from './problem.ts';

/** How a database is opened. */
export interface OpenOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Looks into a memory that another process may have: takes no lock and writes nothing. */
  readonly readOnly?: boolean;
}

/** A database that is open and up to date. */
export interface OpenDatabase {
  readonly connection: Connection;
  /** Throws when the file is no longer the one that was opened. */
  ensureThere(): void;
  /** May be called again. */
  close(): void;
}

/**
 * Opens the database in a file, making the file when there is none. One process writes to it at a time. Throws a
 * MemoryError that names the file when it cannot be had, and has then changed nothing in it.
 */
export function openDatabase(file: string, options: OpenOptions): OpenDatabase {
  const path = existsSync(file) ? realpathSync(file) : resolve(file);
  const undo: (() => void)[] = [];
  try {
    return options.readOnly ? openToRead(path, undo) : openToWrite(path, options.now, undo);
  } catch (error) {
    for (const step of undo) step();
    throw memoryProblem(path, error);
  }
}

function openToRead(path: string, undo: (() => void)[]): OpenDatabase {
  if (!existsSync(path)) throw new MemoryError('not-found', `There is no memory ${path}.`);
  const connection = connect(path, true);
  undo.unshift(() => connection.database.close());
  const known = ownMigrations().length;
  if (inspect(connection, known) < known) {
    throw new MemoryError(
      'outdated',
      `The memory ${path} is of an older version of this program; start the agent on it once, then look again.`,
    );
  }
  return opened(connection, () => undefined);
}

function openToWrite(path: string, now: () => number, undo: (() => void)[]): OpenDatabase {
  makeWritable(path);
  const connection = connect(path);
  undo.unshift(() => connection.database.close());
  const migrations = ownMigrations();
  // Before the lock, which is a file: nothing is put beside what is not ours.
  inspect(connection, migrations.length);
  const unlock = takeLock(path);
  undo.push(unlock);
  keepPrivate(path);
  prepareToWrite(connection);
  migrate(connection, migrations, Math.trunc(now()));
  return opened(connection, unlock);
}

function opened(connection: Connection, unlock: () => void): OpenDatabase {
  const { ino, dev } = statSync(connection.file);
  return {
    connection,
    ensureThere() {
      const now = statSync(connection.file, { throwIfNoEntry: false });
      if (now?.ino === ino && now.dev === dev) return;
      throw new MemoryError(
        'unavailable',
        `The memory ${connection.file} was deleted or replaced while it was in use; put it back and restart.`,
      );
    },
    close() {
      if (!connection.database.isOpen) return;
      connection.database.close();
      unlock();
    },
  };
}

/**
 * Makes the file when there is none, for the owner's eyes; what SQLite puts beside it takes after it. A file that is there
 * is not opened: to close it again would give up the locks that SQLite may hold on it elsewhere in this process.
 */
function makeWritable(path: string): void {
  if (existsSync(path)) accessSync(path, constants.W_OK);
  else closeSync(openSync(path, 'a', 0o600));
}

/**
 * The file holds everything that was ever said: one that came with wider permissions, such as a copy, loses them. One that
 * belongs to somebody else stays as they want it.
 */
function keepPrivate(path: string): void {
  const { mode, uid } = statSync(path);
  if ((mode & 0o077) !== 0 && uid === process.geteuid?.()) chmodSync(path, 0o600);
}
