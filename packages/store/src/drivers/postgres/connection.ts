import type { ClientBase, QueryResult } from 'pg';
import { ServerFailure } from './failure.ts';
import { orderValues, type Parameters, toStatement } from './statement.ts';

export type { Parameters } from './statement.ts';

/** A connection that is checked out of the pool. */
export interface Connection {
  readonly client: ClientBase;
  /** The value of `:now` in statements: null lets `NOW` use the clock of the server. */
  readonly clock: number | null;
}

/** A connection in a transaction. */
export interface Transaction extends Connection {
  /** Milliseconds of the store's clock when the transaction began. */
  readonly now: number;
}

/** SQL: milliseconds of the store's clock, in a transaction as well as outside. */
export const NOW = 'coalesce(:now::bigint, floor(extract(epoch from clock_timestamp()) * 1000)::bigint)';

async function execute(connection: Connection, sql: string, parameters: Parameters): Promise<QueryResult> {
  const statement = toStatement(sql);
  const values = orderValues(statement, { now: connection.clock, ...parameters });
  try {
    return await connection.client.query({ name: statement.name, text: statement.text, values });
  } catch (error) {
    throw new ServerFailure(error);
  }
}

export async function listRows<Row>(
  connection: Connection,
  sql: string,
  parameters: Parameters = {},
): Promise<Row[]> {
  return (await execute(connection, sql, parameters)).rows as Row[];
}

export async function findRow<Row>(
  connection: Connection,
  sql: string,
  parameters: Parameters = {},
): Promise<Row | undefined> {
  return (await listRows<Row>(connection, sql, parameters))[0];
}

/** For a statement that always has a row. */
export async function requireRow<Row>(
  connection: Connection,
  sql: string,
  parameters: Parameters = {},
): Promise<Row> {
  const row = await findRow<Row>(connection, sql, parameters);
  if (row === undefined) throw new Error(`No row: ${sql.trim()}`);
  return row;
}

/** Resolves to the number of changed rows. */
export async function runStatement(
  connection: Connection,
  sql: string,
  parameters: Parameters = {},
): Promise<number> {
  return (await execute(connection, sql, parameters)).rowCount ?? 0;
}
