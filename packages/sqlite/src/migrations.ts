import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Connection, executeSql, findRow, runStatement } from './connection.ts';
import { DatabaseFailure } from './failure.ts';
import { runTransaction } from './transaction.ts';

/** One step from an older form of the database to the next; its number is its place in the list, from 1. */
export interface Migration {
  readonly name: string;
  /** Called only when the migration is due: most starts apply none, and need not read the file. */
  sql(): string;
}

/** The form of a program's databases. */
export interface Schema {
  /** `pragma application_id`, by which a program tells its own files. The first migration sets it. */
  readonly applicationId: number;
  readonly migrations: readonly Migration[];
}

/** The files `*.sql` of a directory, in the order of their names. */
export function readMigrations(directory: string): Migration[] {
  const names = readdirSync(directory).filter((name) => name.endsWith('.sql'));
  return names.sort().map((name) => ({ name, sql: () => readFileSync(join(directory, name), 'utf8') }));
}

/**
 * Throws `foreign` or `newer` for a file that the program must not write to. Returns the number of the last migration
 * applied. Does not change the file.
 */
export function inspectSchema(connection: Connection, { applicationId, migrations }: Schema): number {
  // One transaction: another process that creates the schema now is seen to have done it either completely or not at all.
  executeSql(connection, 'begin');
  const id = findRow<{ id: number }>(
    connection,
    'select application_id as id from pragma_application_id',
  )?.id;
  const isEmpty = findRow(connection, 'select 1 from sqlite_schema limit 1') === undefined;
  const last = id === applicationId ? lastApplied(connection) : 0;
  executeSql(connection, 'commit');
  if (id !== applicationId && !(id === 0 && isEmpty))
    throw new DatabaseFailure('foreign', `${connection.file} is a database of another program`);
  refuseNewer(connection, last, migrations.length);
  return last;
}

/** Brings a database up to date. Each migration is applied once, and completely or not at all. */
export function applyMigrations(connection: Connection, migrations: readonly Migration[], now: number): void {
  const last = lastApplied(connection);
  refuseNewer(connection, last, migrations.length);
  for (const [index, migration] of migrations.entries()) {
    if (index < last) continue;
    runTransaction(connection, () => {
      // Another process may have applied it while `begin` waited.
      if (lastApplied(connection) > index) return;
      executeSql(connection, migration.sql());
      recordMigration(connection, index + 1, migration.name, now);
    });
  }
}

function refuseNewer(connection: Connection, last: number, known: number): void {
  if (last > known)
    throw new DatabaseFailure('newer', `${connection.file} was written by a newer version of this program`);
}

/** The number of the last migration applied; 0 for a new file. */
function lastApplied(connection: Connection): number {
  const exists = findRow(connection, "select 1 from sqlite_schema where name = 'migrations'") !== undefined;
  if (!exists) return 0;
  return (
    findRow<{ last: number | null }>(connection, 'select max(number) as last from migrations')?.last ?? 0
  );
}

function recordMigration(connection: Connection, number: number, name: string, now: number): void {
  executeSql(
    connection,
    'create table if not exists migrations (number integer primary key, name text not null, applied_at integer not null)',
  );
  runStatement(connection, 'insert into migrations values (:number, :name, :now)', { number, name, now });
}
