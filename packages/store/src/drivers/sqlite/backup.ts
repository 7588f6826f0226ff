import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { backup } from 'node:sqlite';
import { type Connection, connect } from './connection.ts';
import { storeProblem } from './problem.ts';

/** More pages than a database can have: all of them in one step. */
const ALL_PAGES = 2 ** 31 - 1;

/**
 * Copies a database into a new file, which is there when it is whole. A connection of its own, and one step: the copy is
 * of one moment, made beside the event loop; in many steps, every write in between would make it begin again.
 */
export async function copyTo(connection: Connection, file: string): Promise<void> {
  const partial = `${file}.partial`;
  try {
    // Claims the name, and keeps what people said from other users of the machine.
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
  const source = connect(from);
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
