import { type Connection, runStatement } from './connection.ts';

/**
 * Runs `work` in one transaction: committed when this returns, rolled back when it throws. Inside another
 * transaction `work` becomes a part of that one, so that the writes of two modules commit together.
 */
export function runTransaction<T>(connection: Connection, work: () => T): T {
  // `isTransaction` throws on a closed database; `run` below then throws the error of the caller.
  if (connection.database.isOpen && connection.database.isTransaction) return work();
  // IMMEDIATE, since a transaction that reads first and writes later can be refused in between.
  runStatement(connection, 'begin immediate');
  try {
    const result = work();
    runStatement(connection, 'commit');
    return result;
  } catch (error) {
    // SQLite rolls back by itself when the disk is full.
    if (connection.database.isTransaction) runStatement(connection, 'rollback');
    throw error;
  }
}

/** Runs `read` in one read transaction, so that writes of other processes in between are not seen. */
export function withSnapshot<T>(connection: Connection, read: () => T): T {
  if (connection.database.isTransaction) return read();
  runStatement(connection, 'begin');
  try {
    return read();
  } finally {
    runStatement(connection, 'rollback');
  }
}
