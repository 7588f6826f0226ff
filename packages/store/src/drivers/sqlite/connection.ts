import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';

/** An open database file, with the statements prepared so far. */
export interface Connection {
  readonly file: string;
  readonly database: DatabaseSync;
  readonly statements: Map<string, StatementSync>;
}

/** Values for the named parameters of a statement, without their colon. */
export type Parameters = Readonly<Record<string, SQLInputValue>>;

/** How long to wait for whoever looks into the file from outside, such as an operator's shell. */
const BUSY_MS = 2_000;

/** Opens a file without changing it. */
export function connect(file: string): Connection {
  return { file, database: new DatabaseSync(file, { timeout: BUSY_MS }), statements: new Map() };
}

/** Makes a connection fit for writing; `full` syncs every commit to the disk, `normal` leaves the last ones to luck. */
export function prepareToWrite(connection: Connection, synchronous: 'full' | 'normal'): void {
  connection.database.exec(`
    pragma journal_mode = wal;
    pragma synchronous = ${synchronous};
    pragma foreign_keys = on;
    -- A checkpoint holds up everything else: 64 MiB apart they come rarely, where 4 MiB make the slowest calls 8 ms.
    pragma wal_autocheckpoint = 16000;
    -- What a burst has made of the log is given back.
    pragma journal_size_limit = 67108864;
  `);
}

/** Runs a statement and gives all its rows, whose shape the caller vouches for. */
export function rows<Row>(connection: Connection, sql: string, parameters: Parameters = {}): Row[] {
  return prepared(connection, sql).all(parameters) as Row[];
}

/** Runs a statement and gives its first row, whose shape the caller vouches for. */
export function row<Row>(connection: Connection, sql: string, parameters: Parameters = {}): Row | undefined {
  return prepared(connection, sql).get(parameters) as Row | undefined;
}

/** Runs a statement that always gives a row, such as an insert that returns what it wrote. */
export function theRow<Row>(connection: Connection, sql: string, parameters: Parameters = {}): Row {
  const found = row<Row>(connection, sql, parameters);
  if (found === undefined) throw new Error(`No row came back from: ${sql}`);
  return found;
}

/** Runs a statement that gives no rows; returns how many rows it changed and the `seq` of the last one inserted. */
export function run(
  connection: Connection,
  sql: string,
  parameters: Parameters = {},
): { changes: number; seq: number } {
  const { changes, lastInsertRowid } = prepared(connection, sql).run(parameters);
  return { changes: Number(changes), seq: Number(lastInsertRowid) };
}

function prepared(connection: Connection, sql: string): StatementSync {
  const known = connection.statements.get(sql);
  if (known !== undefined) return known;
  const statement = connection.database.prepare(sql);
  connection.statements.set(sql, statement);
  return statement;
}
