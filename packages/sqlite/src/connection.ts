import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';

/** An open database file, with the statements prepared so far. */
export interface Connection {
  readonly file: string;
  readonly database: DatabaseSync;
  readonly statements: Map<string, StatementSync>;
  /** Turns an error of SQLite into the error that the functions below throw. */
  readonly toError: (error: unknown) => unknown;
}

/** Values for the named parameters of a statement, without their colon. */
export type Parameters = Readonly<Record<string, SQLInputValue>>;

export interface ConnectOptions {
  readonly readOnly?: boolean;
  /** The identity unless given. */
  readonly toError?: (error: unknown) => unknown;
}

/** How long a statement waits for a lock of SQLite that another process holds, for example the `sqlite3` shell. */
const BUSY_MS = 5_000;

/** Opens a file without changing it. */
export function openConnection(
  file: string,
  { readOnly = false, toError = (error) => error }: ConnectOptions = {},
): Connection {
  const database = new DatabaseSync(file, { timeout: BUSY_MS, readOnly });
  return { file, database, statements: new Map(), toError };
}

/** All rows of a statement. The caller vouches for the shape `Row`. */
export function listRows<Row>(connection: Connection, sql: string, parameters: Parameters = {}): Row[] {
  return withErrors(connection, () => prepareStatement(connection, sql).all(parameters) as Row[]);
}

/** The first row of a statement. The caller vouches for the shape `Row`. */
export function findRow<Row>(
  connection: Connection,
  sql: string,
  parameters: Parameters = {},
): Row | undefined {
  return withErrors(connection, () => prepareStatement(connection, sql).get(parameters) as Row | undefined);
}

/** The first row of a count, an `insert … returning`, or another statement that always has a row. */
export function requireRow<Row>(connection: Connection, sql: string, parameters: Parameters = {}): Row {
  const found = findRow<Row>(connection, sql, parameters);
  if (found === undefined) throw new Error(`No row came back from: ${sql}`);
  return found;
}

/** Runs a statement without rows. `changes` counts the rows it changed; `seq` is the rowid of the last one inserted. */
export function runStatement(
  connection: Connection,
  sql: string,
  parameters: Parameters = {},
): { readonly changes: number; readonly seq: number } {
  return withErrors(connection, () => {
    const { changes, lastInsertRowid } = prepareStatement(connection, sql).run(parameters);
    return { changes: Number(changes), seq: Number(lastInsertRowid) };
  });
}

/** Runs SQL that takes no parameters and may be several statements. */
export function executeSql(connection: Connection, sql: string): void {
  withErrors(connection, () => connection.database.exec(sql));
}

/** The statement for `sql`, prepared once per connection. */
export function prepareStatement({ statements, database }: Connection, sql: string): StatementSync {
  const known = statements.get(sql);
  if (known !== undefined) return known;
  const statement = database.prepare(sql);
  statements.set(sql, statement);
  return statement;
}

function withErrors<T>({ toError }: Connection, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toError(error);
  }
}
