import { type Connection, run } from './connection.ts';

/** Lets `look` see everything as it is at one moment, whatever another process writes meanwhile. */
export function snapshot<T>(connection: Connection, look: () => T): T {
  if (connection.database.isTransaction) return look();
  run(connection, 'begin');
  try {
    return look();
  } finally {
    run(connection, 'rollback');
  }
}

/**
 * Runs `work` in one transaction: all of it is on the disk when this returns, nothing of it when it throws. Inside another
 * transaction it is a part of that one, so that what two modules write can be made to stand or fall together.
 */
export function transaction<T>(connection: Connection, work: () => T): T {
  if (connection.database.isOpen && connection.database.isTransaction) return work();
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
