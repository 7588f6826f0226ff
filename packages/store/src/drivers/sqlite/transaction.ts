import { type Connection, run } from './connection.ts';

/** Runs `work` in one transaction: all of it is on the disk when this returns, nothing of it when it throws. */
export function transaction<T>(connection: Connection, work: () => T): T {
  // IMMEDIATE, since a transaction that reads first and writes later can be refused in between.
  run(connection, 'begin immediate');
  try {
    const result = work();
    run(connection, 'commit');
    return result;
  } catch (error) {
    // A full disk has rolled back already.
    if (connection.database.isTransaction) run(connection, 'rollback');
    throw error;
  }
}
