import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { DatabaseFailure } from './failure.ts';

/** The lock of this process on a database file. */
export interface FileLock {
  release(): void;
}

const SQLITE_BUSY = 5;
/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGED: readonly number[] = [11, 26];

/**
 * Takes a database file for this process alone. Throws `in-use`, which names the holder, when another process has it.
 *
 * The lock is an open write transaction on a small database beside the file, `FILE.lock`. The operating system releases it
 * however the process dies, and no process id is compared with those of another container. Its table tells who holds it. The
 * lock file stays after `release`: to delete it could take it from a process that has just opened it.
 */
export function takeLock(file: string): FileLock {
  const path = `${file}.lock`;
  try {
    return lockWith(path, file);
  } catch (error) {
    // The lock file is not synced, so that a power failure may damage it; it holds no data.
    if (!DAMAGED.includes(codeOf(error))) throw error;
    rmSync(path, { force: true });
    return lockWith(path, file);
  }
}

function lockWith(path: string, file: string): FileLock {
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec(`pragma synchronous = off; begin immediate;
      create table if not exists owner (pid integer); delete from owner`);
    database.prepare('insert into owner values (?)').run(process.pid);
    // The commit lets other processes read `pid`. A process that locks between the two statements wins, and this one throws.
    database.exec('commit; begin immediate');
    return { release: () => database.close() };
  } catch (error) {
    const holder = holderOf(database);
    database.close();
    if (codeOf(error) !== SQLITE_BUSY) throw error;
    throw new DatabaseFailure('in-use', `${file} is in use by ${holder}`, { holder, cause: error });
  }
}

function codeOf(error: unknown): number {
  return (error as { errcode?: number }).errcode ?? 0;
}

function holderOf(database: DatabaseSync): string {
  try {
    const { pid } = database.prepare('select pid from owner').get() ?? {};
    return pid === undefined ? 'another process' : `process ${pid}`;
  } catch {
    return 'another process';
  }
}
