import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Connection, execute, row, run } from './connection.ts';
import { MemoryError } from './error.ts';
import { transaction } from './transaction.ts';

/** One step from an older form of the database to the next; its number is its place in the list, from 1. */
export interface Migration {
  readonly name: string;
  /** Read only when it is due: at most starts, none is. */
  sql(): string;
}

/** "Nuum": tells a memory from any other SQLite file. The first migration writes it. */
const APPLICATION_ID = 0x4e75756d;
const DIRECTORY = join(import.meta.dirname, 'migrations');

/** The migrations that came with this program, in order. */
export function ownMigrations(): Migration[] {
  const names = readdirSync(DIRECTORY).filter((name) => name.endsWith('.sql'));
  return names.sort().map((name) => ({ name, sql: () => readFileSync(join(DIRECTORY, name), 'utf8') }));
}

/** Refuses a file that this program must not write to, and gives the number of its last migration; changes nothing. */
export function inspect(connection: Connection, known: number): number {
  // One transaction, so that another process that makes the database new is seen to have done it, or not.
  execute(connection, 'begin');
  const id = row<{ id: number }>(connection, 'select application_id as id from pragma_application_id')?.id;
  const empty = row(connection, 'select 1 from sqlite_schema limit 1') === undefined;
  const last = id === APPLICATION_ID ? applied(connection) : 0;
  execute(connection, 'commit');
  if (id !== APPLICATION_ID && !(id === 0 && empty)) {
    throw new MemoryError(
      'foreign',
      `The file ${connection.file} is a database of another program; choose another file.`,
    );
  }
  refuseNewer(connection, last, known);
  return last;
}

function refuseNewer(connection: Connection, last: number, known: number): void {
  if (last <= known) return;
  throw new MemoryError(
    'newer',
    `The memory ${connection.file} was written by a newer version of this program; use that version.`,
  );
}

/** Brings a database up to date: each migration is applied as a whole or not at all, and once. */
export function migrate(connection: Connection, migrations: readonly Migration[], now: number): void {
  const last = applied(connection);
  refuseNewer(connection, last, migrations.length);
  for (const [index, migration] of migrations.entries()) {
    if (index < last) continue;
    // Asked again inside the transaction: another process may have applied it while ours waited to begin.
    transaction(connection, () => {
      if (applied(connection) > index) return;
      execute(connection, migration.sql());
      record(connection, index + 1, migration.name, now);
    });
  }
}

/** The number of the last migration applied; 0 for a new file. */
function applied(connection: Connection): number {
  const there = row(connection, "select 1 from sqlite_schema where name = 'migrations'") !== undefined;
  if (!there) return 0;
  return row<{ last: number | null }>(connection, 'select max(number) as last from migrations')?.last ?? 0;
}

function record(connection: Connection, number: number, name: string, now: number): void {
  execute(
    connection,
    'create table if not exists migrations (number integer primary key, name text not null, applied_at integer not null) strict',
  );
  run(connection, 'insert into migrations values (:number, :name, :now)', { number, name, now });
}
