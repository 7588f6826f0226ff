import { keyOf } from '../drivers/postgres/context.ts';
import { storableText } from '../storable.ts';

export type Value = string | number | boolean | null;

/** A row by the names of its columns in the database that it was read from. */
export type Row = Readonly<Record<string, Value>>;

type PostgresType = 'bigint' | 'integer' | 'text' | 'boolean' | 'double precision';

/** A column, and what it becomes in the other database. */
export interface ColumnMove {
  /** Undefined when this database has no such column. */
  readonly sqlite?: string;
  readonly postgres?: string;
  readonly type: PostgresType;
  readonly toPostgres: (row: Row) => Value;
  readonly toSqlite: (row: Row) => Value;
}

/** A table that both databases have under one name. */
export interface TableMove {
  readonly name: string;
  /** Columns of a unique index, in the order in which rows are read. */
  readonly key: { readonly sqlite: readonly string[]; readonly postgres: readonly string[] };
  readonly columns: readonly ColumnMove[];
  /** Columns that the database itself fills. */
  readonly assigned?: { readonly sqlite?: readonly string[] };
  /** `seq` is an identity column in Postgres. */
  readonly isNumbered: boolean;
}

function valueIn(row: Row, name: string): Value {
  const value = row[name];
  if (value === undefined) throw new TypeError(`A row has no column ${name}.`);
  return value;
}

/** Postgres takes no NUL in a text. */
function storable(value: Value): Value {
  return typeof value === 'string' ? storableText(value) : value;
}

/** A column that is the same in both. */
export function same(name: string, type: PostgresType): ColumnMove {
  const read = (row: Row): Value => valueIn(row, name);
  return { sqlite: name, postgres: name, type, toPostgres: (row) => storable(read(row)), toSqlite: read };
}

/** 0 or 1 in SQLite, a boolean in Postgres. */
export function flag(name: string): ColumnMove {
  return {
    sqlite: name,
    postgres: name,
    type: 'boolean',
    toPostgres: (row) => valueIn(row, name) === 1,
    toSqlite: (row) => (valueIn(row, name) === true ? 1 : 0),
  };
}

/** A unique text, which Postgres has by its key. The way back has the key: the text of a long one is known to no database. */
export function keyed(sqlite: string, postgres: string): ColumnMove {
  return {
    sqlite,
    postgres,
    type: 'text',
    toPostgres: (row) => movedKey(String(valueIn(row, sqlite))),
    toSqlite: (row) => valueIn(row, postgres),
  };
}

/** The key of a text. A text that is such a key was moved from Postgres before. */
export function movedKey(text: string): string {
  return /^sha256:[0-9a-f]{64}$/.test(text) ? text : keyOf(text);
}

/** A column of Postgres alone. */
export function derived(postgres: string, type: PostgresType, from: (row: Row) => Value): ColumnMove {
  return { postgres, type, toPostgres: from, toSqlite: () => null };
}

/** Another `toPostgres` for a column. */
export function changed(column: ColumnMove, toPostgres: ColumnMove['toPostgres']): ColumnMove {
  return { ...column, toPostgres: (row) => storable(toPostgres(row)) };
}
