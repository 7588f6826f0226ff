import { type Connection, openConnection, type Parameters } from '@plugboard/sqlite';
import { memoryProblem } from './problem.ts';

/** Opens a file without changing it. Every error of its statements is a `MemoryError` that names the file. */
export function connectMemory(file: string, readOnly = false): Connection {
  return openConnection(file, { readOnly, toError: (error) => memoryProblem(file, error) });
}

/** Sets the pragmas for writing: every commit is synced, so that it survives a power failure. */
export function prepareToWrite({ database }: Connection): void {
  database.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    pragma foreign_keys = on;
    -- The log of a burst of writes is shortened again.
    pragma journal_size_limit = 16777216;
  `);
}

/** Rows one after the other, up to where the caller stops. */
export function* iterateRows<Row>(
  connection: Connection,
  sql: string,
  parameters: Parameters = {},
): Generator<Row, void, undefined> {
  try {
    // Prepared anew: the iterator of a cached statement is reset when another caller runs that statement.
    yield* connection.database.prepare(sql).iterate(parameters) as Iterable<Row>;
  } catch (error) {
    throw connection.toError(error);
  }
}
