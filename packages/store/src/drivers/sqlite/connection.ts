import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { fold } from './search/fold.ts';
import { shortGramsOf } from './search/short-grams.ts';

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

/** Opens a file without changing it. Migrations can call `folded(text)` and `short_grams(text)`, as the search index is written with them. */
export function connect(file: string): Connection {
  const database = new DatabaseSync(file, { timeout: BUSY_MS });
  database.function('folded', { deterministic: true }, (text) => fold(String(text)));
  database.function('short_grams', { deterministic: true }, (text) => shortGramsOf(String(text)));
  return { file, database, statements: new Map() };
}

/** Makes a connection fit for writing; `full` syncs every commit to the disk, `normal` leaves the last ones to luck. */
export function prepareToWrite(connection: Connection, synchronous: 'full' | 'normal'): void {
  connection.database.exec(`
    pragma journal_mode = wal;
    pragma synchronous = ${synchronous};
    pragma foreign_keys = on;
    -- All along, and not only while something is forgotten: pages that were split before keep copies of what was on them.
    pragma secure_delete = on;
    -- Pages of 4 KiB: a checkpoint holds up everything else for some 10 ms, and comes when the grown log is full.
    pragma wal_autocheckpoint = ${LOG_BYTES / 4096 - 96};
    -- What a burst has made of the log is given back.
    pragma journal_size_limit = ${2 * LOG_BYTES};
  `);
  growLog(connection);
}

/** How long the log is made at once, and then kept. */
const LOG_BYTES = 16 * 1024 * 1024;

/** A disk with less room than this keeps it for what matters. */
const ROOM_BYTES = 32 * LOG_BYTES;

/**
 * Makes the log as long as it will be. To sync bytes that lengthen a file takes the disk twice as long as to sync bytes that
 * replace others: measured 0.49 ms for a commit before, 0.25 ms after, for 15 ms at the start. What is written here is
 * rolled back: its pages, too many to be kept in memory, have gone to the log by then, and leave it long and empty.
 */
function growLog({ file, database }: Connection): void {
  const { bavail, bsize } = statfsSync(dirname(file));
  if (bavail * bsize < ROOM_BYTES) return;
  database.exec(`
    pragma cache_size = 16;
    begin immediate;
    create table growth (filler blob);
    insert into growth values (zeroblob(${LOG_BYTES}));
    rollback;
    pragma cache_size = -8000;
  `);
}

/** Runs a statement and gives all its rows, whose shape the caller vouches for. */
export function rows<Row>(connection: Connection, sql: string, parameters: Parameters = {}): Row[] {
  return prepared(connection, sql).all(parameters) as Row[];
}

/** The same, up to the row after which the caller wants no more. */
export function rowsUntil<Row>(
  connection: Connection,
  sql: string,
  parameters: Parameters,
  isEnough: (row: Row) => boolean,
): Row[] {
  const found: Row[] = [];
  visitRows<Row>(connection, sql, parameters, (one) => {
    found.push(one);
    return isEnough(one);
  });
  return found;
}

/** Reads rows one by one until `visit` returns true. */
export function visitRows<Row>(
  connection: Connection,
  sql: string,
  parameters: Parameters,
  visit: (row: Row) => boolean,
): void {
  for (const one of prepared(connection, sql).iterate(parameters)) if (visit(one as Row)) break;
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
