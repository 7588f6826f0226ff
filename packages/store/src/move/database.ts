import type { Row, TableMove, Value } from './move-table.ts';

/** The place of a store. */
export type StorePlace =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string };

/** The key of the last row that was copied, in the order in which the source is read. */
export type Key = readonly Value[];

/** Rows and bytes that are in memory at a time. One row may have more bytes. */
export const BATCH = { rows: 2_000, bytes: 4 * 1024 ** 2 };

/** Reads tables of one database, batch by batch. */
export interface TableReader {
  /** Rows after a key, with the named columns. */
  batches(
    table: Pick<TableMove, 'name'>,
    columns: readonly string[],
    order: { readonly key: readonly string[]; readonly after: Key | undefined },
  ): AsyncIterable<readonly Row[]>;
  count(table: string): Promise<number>;
}

/** A store that is copied, and that no gateway can use meanwhile. */
export interface MoveSource {
  readonly kind: StorePlace['kind'];
  readonly place: string;
  readonly createdAt: number;
  readonly reader: TableReader;
  close(): Promise<void>;
}

/** How far a move is. */
export interface Progress {
  /** Name of the table that is being copied; undefined before the first. */
  readonly table: string | undefined;
  readonly after: Key | undefined;
}

/** A row of `said`, the folded texts that Postgres searches. */
export interface SearchedText {
  readonly session: number;
  readonly number: number;
  readonly text: string;
}

/** Rows of one table in the columns of the target, and what is derived from them. */
export interface Batch {
  readonly table: TableMove;
  readonly rows: readonly (readonly Value[])[];
  readonly searched: readonly SearchedText[];
  readonly progress: Progress;
}

/** A store that is being made. No gateway can use it before `finish`. */
export interface MoveTarget {
  readonly kind: StorePlace['kind'];
  readonly place: string;
  readonly reader: TableReader;
  /**
   * Begins a move, or goes on with an unfinished one of the same source, as `identity` tells. Rejects with `conflict`
   * when the place has anything else. `complete`: all rows are there.
   */
  begin(identity: string): Promise<Progress | 'complete' | 'new'>;
  /** Stores rows and progress in one transaction. */
  write(batch: Batch): Promise<void>;
  /** Builds the search index of SQLite, or statistics of Postgres, before `proveCopy`. */
  prepare(): Promise<void>;
  /** Lets gateways use the store. */
  finish(createdAt: number): Promise<void>;
  close(): Promise<void>;
}

/** Columns of a table in one database. */
export function columnsOf({ columns }: TableMove, kind: StorePlace['kind']): string[] {
  return columns.flatMap((column) => column[kind] ?? []);
}

/** Values of a row in the columns of the target. */
export function convertRow({ columns }: TableMove, target: StorePlace['kind'], row: Row): Value[] {
  const convert = target === 'postgres' ? 'toPostgres' : 'toSqlite';
  return columns.filter((column) => column[target] !== undefined).map((column) => column[convert](row));
}

/** Cuts rows into batches. */
export function isFull(rows: readonly Row[], bytes: number): boolean {
  return rows.length >= BATCH.rows || bytes >= BATCH.bytes;
}

export function bytesOf(row: Row): number {
  let bytes = 0;
  for (const value of Object.values(row)) if (typeof value === 'string') bytes += value.length;
  return bytes;
}
