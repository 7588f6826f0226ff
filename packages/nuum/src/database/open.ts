import { chmodSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Connection,
  hasHardLink,
  inspectSchema,
  openForWriting,
  readMigrations,
  realPathOf,
  type Schema,
  takeWatchedLock,
  type WatchedLock,
} from '@plugboard/sqlite';
import { connectMemory, prepareToWrite } from './connection.ts';
import { MemoryError } from './error.ts';
import { memoryProblem } from './problem.ts';

export interface OpenOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Reads a memory that another process may have: takes no lock and writes nothing. */
  readonly readOnly?: boolean;
}

/** A database that is open and up to date. */
export interface OpenDatabase {
  readonly connection: Connection;
  /** Throws when the path no longer leads to the inode that was opened. */
  ensureThere(): void;
  /** May be called again. */
  close(): void;
}

/** "Nuum" in ASCII. */
const APPLICATION_ID = 0x4e75756d;

/** The migrations that came with this program. */
export function readSchema(): Schema {
  return {
    applicationId: APPLICATION_ID,
    migrations: readMigrations(join(import.meta.dirname, 'migrations')),
  };
}

/**
 * Opens the database in a file, making the file when there is none. One process writes to it at a time. Throws a
 * `MemoryError` that names the file when it cannot be opened, and has then changed nothing in it.
 */
export function openDatabase(file: string, options: OpenOptions): OpenDatabase {
  const path = realPathOf(file);
  try {
    return options.readOnly ? openToRead(path) : openToWrite(path, options.now);
  } catch (error) {
    throw memoryProblem(path, error);
  }
}

function openToRead(path: string): OpenDatabase {
  if (!existsSync(path)) throw new MemoryError('not-found', `There is no memory ${path}.`);
  const connection = connectMemory(path, true);
  try {
    refuseOutdated(connection);
  } catch (error) {
    connection.database.close();
    throw error;
  }
  return toOpenDatabase(connection, { isHeld: () => true, release: () => undefined });
}

function refuseOutdated(connection: Connection): void {
  const schema = readSchema();
  if (inspectSchema(connection, schema) === schema.migrations.length) return;
  throw new MemoryError(
    'outdated',
    `The memory ${connection.file} is of an older version of this program; start the agent on it once, then look again.`,
  );
}

function openToWrite(path: string, now: () => number): OpenDatabase {
  refuseUnusualFile(path);
  const { connection, lock } = openForWriting(path, {
    schema: readSchema(),
    connect: connectMemory,
    takeLock: (isNew) => takeWatchedLock(path, isNew),
    prepare(opened) {
      keepPrivate(path);
      prepareToWrite(opened);
    },
    now: Math.trunc(now()),
  });
  return toOpenDatabase(connection, lock);
}

function toOpenDatabase(connection: Connection, lock: WatchedLock): OpenDatabase {
  const { ino, dev } = statSync(connection.file);
  return {
    connection,
    ensureThere() {
      if (!lock.isHeld())
        throw new MemoryError(
          'in-use',
          `The lock of the memory ${connection.file} was deleted, and another process has taken the memory since.`,
        );
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
      lock.release();
    },
  };
}

/**
 * A file that is not regular, such as `/dev/null`, must keep its permissions. A hard link is another path with a lock and a
 * write-ahead log of its own: two processes would write to one file, each without the log of the other.
 */
function refuseUnusualFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isFile())
    throw new MemoryError('unavailable', `${path} is not a file: a memory needs a file of its own.`);
  if (!hasHardLink(path)) return;
  throw new MemoryError(
    'unavailable',
    `The memory ${path} has another name (a hard link), under which a second process could write to it. Make it a file of its own: cp ${path} ${path}.own && mv ${path}.own ${path}`,
  );
}

/**
 * Takes the permissions of group and others away, with which a copied file may come: it holds every message. A file of
 * another user keeps the permissions that its owner gave it.
 */
function keepPrivate(path: string): void {
  const { mode, uid } = statSync(path);
  if ((mode & 0o077) !== 0 && uid === process.geteuid?.()) chmodSync(path, 0o600);
}
