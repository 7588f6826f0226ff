import { accessSync, closeSync, constants, existsSync, openSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Connection } from './connection.ts';
import type { FileLock } from './lock.ts';
import { applyMigrations, inspectSchema, type Schema } from './migrations.ts';

/** The path by which a file is opened and locked: two symbolic links to one database must meet the same lock. */
export function realPathOf(file: string): string {
  return existsSync(file) ? realpathSync(file) : resolve(file);
}

/** Whether the file has a second path, which `realPathOf` does not tell from the first. */
export function hasHardLink(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.nlink ?? 0) > 1;
}

export interface WriteOptions<Lock extends FileLock> {
  readonly schema: Schema;
  readonly connect: (path: string) => Connection;
  /** `isNew`: the file was created by this call, or is empty. */
  readonly takeLock: (isNew: boolean) => Lock;
  /** Sets the pragmas for writing, once the lock is held. */
  readonly prepare: (connection: Connection) => void;
  /** Milliseconds since 1970, noted with each migration. */
  readonly now: number;
}

/**
 * Opens a database for this process alone and brings it up to date, making the file when there is none. When it throws, the
 * database is unchanged, and both connection and lock are closed.
 */
export function openForWriting<Lock extends FileLock>(
  path: string,
  { schema, connect, takeLock, prepare, now }: WriteOptions<Lock>,
): { readonly connection: Connection; readonly lock: Lock } {
  const undo: (() => void)[] = [];
  try {
    const isNew = makeWritable(path);
    const connection = connect(path);
    undo.unshift(() => connection.database.close());
    // Before the lock, which is a file: none is put beside a database of another program.
    inspectSchema(connection, schema);
    const lock = takeLock(isNew);
    undo.push(lock.release);
    prepare(connection);
    applyMigrations(connection, schema.migrations, now);
    return { connection, lock };
  } catch (error) {
    for (const step of undo) step();
    throw error;
  }
}

/**
 * Makes the file when there is none, readable by its owner alone; SQLite gives the files beside it the same permissions. An
 * existing file is not opened: closing it again would release the POSIX locks that SQLite may hold on it in this process.
 * Returns whether the file is new or empty.
 */
function makeWritable(path: string): boolean {
  const isNew = !existsSync(path) || statSync(path).size === 0;
  if (existsSync(path)) accessSync(path, constants.W_OK);
  else closeSync(openSync(path, 'a', 0o600));
  return isNew;
}
