import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { backup } from 'node:sqlite';
import { type Connection, openStoreConnection } from '../connection.ts';
import { storeProblem } from '../problem.ts';

/** Above the largest page count of SQLite, so that `backup` copies all pages in one step. */
const ALL_PAGES = 2 ** 31 - 1;

/**
 * Copies a database into a new file, which is empty until the copy is complete. SQLite copies on a second connection in one
 * step, off the event loop: in several steps, each write in between would restart the copy.
 */
export async function copyDatabase(connection: Connection, file: string): Promise<void> {
  const partial = `${file}.partial`;
  try {
    // `wx` reserves the name; 0600 keeps other users from reading.
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    throw storeProblem(file, error);
  }
  try {
    rmSync(partial, { force: true });
    closeSync(openSync(partial, 'wx', 0o600));
    await copyPages(connection.file, partial);
    syncFile(partial);
    renameSync(partial, file);
  } catch (error) {
    for (const rest of [partial, file]) rmSync(rest, { force: true });
    throw storeProblem(file, error);
  }
}

async function copyPages(from: string, to: string): Promise<void> {
  const source = openStoreConnection(from);
  try {
    await backup(source.database, to, { rate: ALL_PAGES });
  } finally {
    source.database.close();
  }
}

function syncFile(file: string): void {
  const descriptor = openSync(file, 'r+');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
