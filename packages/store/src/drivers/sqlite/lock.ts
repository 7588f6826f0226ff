import { DatabaseSync } from 'node:sqlite';
import { StoreError } from '../../contract/errors.ts';

/**
 * Takes a database file for this process alone; returns how to give it back, and throws when another process has it.
 *
 * The lock is one that the system holds, on a small database beside the file: it goes with its process however that
 * dies, and no number of a process has to be compared with those of another container. That database tells who has
 * it. It stays when it is given back, since to delete it could pull it from under somebody who has just opened it.
 */
export function takeLock(file: string): () => void {
  const database = new DatabaseSync(`${file}.lock`, { timeout: 0 });
  try {
    database.exec('begin immediate; create table if not exists owner (pid integer); delete from owner');
    database.prepare('insert into owner values (?)').run(process.pid);
    // Only what is committed can be read by others. Whoever slips in between the two has the lock, and we are refused.
    database.exec('commit; begin immediate');
    return () => database.close();
  } catch (error) {
    const owner = ownerOf(database);
    database.close();
    if ((error as { errcode?: number }).errcode !== 5) throw error;
    throw new StoreError('in-use', `The file ${file} is in use by ${owner}.`, error);
  }
}

function ownerOf(database: DatabaseSync): string {
  try {
    const { pid } = database.prepare('select pid from owner').get() ?? {};
    return pid === undefined ? 'another process' : `process ${pid}`;
  } catch {
    return 'another process';
  }
}
