import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '../../contract/errors.ts';
import { type Connection, row, run } from './connection.ts';
import { transaction } from './transaction.ts';

/** One step from an older form of the database to the next; its number is its place in the list, from 1. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
}

const APPLICATION_ID = 0x506c7567;
const DIRECTORY = join(import.meta.dirname, 'migrations');

/** The migrations that came with this program, in order. */
export function ownMigrations(): Migration[] {
  const names = readdirSync(DIRECTORY).filter((name) => name.endsWith('.sql'));
  return names.sort().map((name) => ({ name, sql: readFileSync(join(DIRECTORY, name), 'utf8') }));
}

/** Refuses a file that this program must not write to; changes nothing. */
export function inspect(connection: Connection, known: number): void {
  // One transaction, so that another process that makes the database new is seen to have done it, or not.
  connection.database.exec('begin');
  const id = row<{ id: number }>(connection, 'select application_id as id from pragma_application_id')?.id;
  const empty = row(connection, 'select 1 from sqlite_schema limit 1') === undefined;
  if (id === APPLICATION_ID) refuseNewer(connection, known);
  connection.database.exec('commit');
  if (id !== APPLICATION_ID && !(id === 0 && empty)) {
    throw new StoreError('foreign', `The file ${connection.file} is a database of another program.`);
  }
}

function refuseNewer(connection: Connection, known: number): void {
  if (applied(connection) <= known) return;
  throw new StoreError(
    'newer',
    `The file ${connection.file} was written by a newer version of this program.`,
  );
}

/** Brings a database up to date: each migration is applied as a whole or not at all, and once. */
export function migrate(connection: Connection, migrations: readonly Migration[], now: number): void {
  refuseNewer(connection, migrations.length);
  for (const [index, migration] of migrations.entries()) {
    // Asked inside the transaction: another process may have applied it while we waited for ours to begin.
    transaction(connection, () => {
      if (applied(connection) > index) return;
      connection.database.exec(migration.sql);
      record(connection, index + 1, migration.name, now);
    });
  }
}

/** The number of the last migration applied; 0 for a new file. */
function applied(connection: Connection): number {
  const there = row(connection, "select 1 from sqlite_schema where name = 'migrations'") !== undefined;
  if (!there) return 0;
  return row<{ last: number }>(connection, 'select max(number) as last from migrations')?.last ?? 0;
}

function record(connection: Connection, number: number, name: string, now: number): void {
  connection.database.exec(
    'create table if not exists migrations (number integer primary key, name text not null, applied_at integer not null)',
  );
  run(connection, 'insert into migrations values (:number, :name, :now)', { number, name, now });
}
