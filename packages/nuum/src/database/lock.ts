import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { MemoryError } from './error.ts';

const BUSY = 5;
const DAMAGED: readonly number[] = [11, 26];

/**
 * Takes a memory for this process alone; returns how to give it back, and throws when another process has it.
 *
 * The lock is one that the system holds, on a small database beside the file: it goes with its process however that
 * dies, and no number of a process has to be compared with those of another container. That database tells who has
 * it. It stays when it is given back, since to delete it could pull it from under somebody who has just opened it.
 */
export function takeLock(file: string): () => void {
  const beside = `${file}.lock`;
  try {
    return lockWith(file, beside);
  } catch (error) {
    // Nothing in it is worth keeping, and it is not synced: a machine that went down may have left it in pieces.
    if (!DAMAGED.includes(codeOf(error))) throw error;
    rmSync(beside, { force: true });
    return lockWith(file, beside);
  }
}

function lockWith(file: string, beside: string): () => void {
  if (!existsSync(beside)) closeSync(openSync(beside, 'a', 0o600));
  const database = new DatabaseSync(beside, { timeout: 0 });
  try {
    database.exec(`pragma synchronous = off; begin immediate;
      create table if not exists owner (pid integer); delete from owner`);
    database.prepare('insert into owner values (?)').run(process.pid);
    // Only what is committed can be read by others. Whoever slips in between the two has the lock, and we are refused.
    database.exec('commit; begin immediate');
    return () => database.close();
  } catch (error) {
    const owner = ownerOf(database);
    database.close();
    if (codeOf(error) !== BUSY) throw error;
    throw new MemoryError(
      'in-use',
      `The memory ${file} is in use by ${owner}; one database is one agent.`,
      error,
    );
  }
}

function codeOf(error: unknown): number {
  return (error as { errcode?: number }).errcode ?? 0;
}

function ownerOf(database: DatabaseSync): string {
  try {
    const { pid } = database.prepare('select pid from owner').get() ?? {};
    return pid === undefined ? 'another process' : `process ${pid}`;
  } catch {
    return 'another process';
  }
}
