import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { memoryProblem } from './problem.ts';

/** An open database file, with the statements prepared so far. */
export interface Connection {
  readonly file: string;
  readonly database: DatabaseSync;
  readonly statements: Map<string, StatementSync>;
}

/** Values for the named parameters of a statement, without their colon. */
export type Parameters = Readonly<Record<string, SQLInputValue>>;

/** How long to wait for whoever looks into the file from outside, such as an operator's shell. */
const BUSY_MS = 5_000;

/** Opens a file without changing it. */
export function connect(file: string, readOnly = false): Connection {
  return { file, database: new DatabaseSync(file, { timeout: BUSY_MS, readOnly }), statements: new Map() };
}

/** Makes a connection fit for writing: what is committed is on the disk, whatever happens to the machine. */
export function prepareToWrite({ database }: Connection): void {
  database.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    pragma foreign_keys = on;
    -- What a burst has made of the log is given back.
    pragma journal_size_limit = 16777216;
  `);
}

/** Runs a statement and gives all its rows, whose shape the caller vouches for. */
export function rows<Row>(connection: Connection, sql: string, parameters: Parameters = {}): Row[] {
  return attempt(connection, () => prepared(connection, sql).all(parameters) as Row[]);
}

/** Runs a statement and gives its first row, whose shape the caller vouches for. */
export function row<Row>(connection: Connection, sql: string, parameters: Parameters = {}): Row | undefined {
  return attempt(connection, () => prepared(connection, sql).get(parameters) as Row | undefined);
}

/** Runs a statement that always gives a row, such as a count. */
export function theRow<Row>(connection: Connection, sql: string, parameters: Parameters = {}): Row {
  const found = row<Row>(connection, sql, parameters);
  if (found === undefined) throw new Error(`No row came back from: ${sql}`);
  return found;
}

/** Runs a statement that gives no rows; returns how many it changed and the key of the last one inserted. */
export function run(
  connection: Connection,
  sql: string,
  parameters: Parameters = {},
): { readonly changes: number; readonly key: number } {
  return attempt(connection, () => {
    const { changes, lastInsertRowid } = prepared(connection, sql).run(parameters);
    return { changes: Number(changes), key: Number(lastInsertRowid) };
  });
}

/** Runs SQL that takes no parameters and may be several statements. */
export function execute(connection: Connection, sql: string): void {
  attempt(connection, () => connection.database.exec(sql));
}

/**
 * Gives rows one after the other, up to where the caller stops. No other statement with the same text may run meanwhile.
 */
export function* stepped<Row>(
  connection: Connection,
  sql: string,
  parameters: Parameters = {},
): Generator<Row, void, undefined> {
  // A statement of its own: the iterator of a shared one is reset when another caller begins with it.
  const found = attempt(connection, () => connection.database.prepare(sql).iterate(parameters));
  try {
    yield* found as Iterable<Row>;
  } catch (error) {
    throw memoryProblem(connection.file, error);
  }
}

function attempt<T>(connection: Connection, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw memoryProblem(connection.file, error);
  }
}

function prepared(connection: Connection, sql: string): StatementSync {
  const known = connection.statements.get(sql);
  if (known !== undefined) return known;
  const statement = connection.database.prepare(sql);
  connection.statements.set(sql, statement);
  return statement;
}
