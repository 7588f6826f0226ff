import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TemporaryDirectory, temporaryDirectory } from '@plugboard/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  applyMigrations,
  type Connection,
  inspectSchema,
  listRows,
  openConnection,
  readMigrations,
} from '../src/index.ts';

let home: TemporaryDirectory;
let connection: Connection;

beforeEach(() => {
  home = temporaryDirectory();
  connection = openConnection(join(home.path, 'agent.db'));
});
afterEach(() => {
  connection.database.close();
  home[Symbol.dispose]();
});

const FIRST = { name: '0001-first.sql', sql: () => 'create table a (x); insert into a values (1);' };
const SECOND = { name: '0002-second.sql', sql: () => 'create table b (x); insert into a values (2);' };

const valuesOfA = (): number[] => listRows<{ x: number }>(connection, 'select x from a').map(({ x }) => x);

it('applies each migration once, in order', () => {
  applyMigrations(connection, [FIRST], 1);
  applyMigrations(connection, [FIRST, SECOND], 2);
  applyMigrations(connection, [FIRST, SECOND], 3);
  expect(listRows(connection, 'select number, name, applied_at from migrations')).toEqual([
    { number: 1, name: '0001-first.sql', applied_at: 1 },
    { number: 2, name: '0002-second.sql', applied_at: 2 },
  ]);
  expect(valuesOfA()).toEqual([1, 2]);
});

it('leaves nothing of a migration that was interrupted, and completes it the next time', () => {
  const broken = { ...SECOND, sql: () => `${SECOND.sql()} insert into missing values (1);` };
  expect(() => applyMigrations(connection, [FIRST, broken], 1)).toThrow('missing');
  expect(valuesOfA()).toEqual([1]);
  applyMigrations(connection, [FIRST, SECOND], 2);
  expect(valuesOfA()).toEqual([1, 2]);
});

it('does not repeat a migration that another connection has applied', () => {
  const other = openConnection(connection.file);
  applyMigrations(other, [FIRST, SECOND], 1);
  other.database.close();
  applyMigrations(connection, [FIRST, SECOND], 1);
  expect(valuesOfA()).toEqual([1, 2]);
});

it('does not read the SQL of a migration that is applied already', () => {
  applyMigrations(connection, [FIRST], 1);
  const unread = {
    ...FIRST,
    sql: () => {
      throw new Error('read');
    },
  };
  expect(() => applyMigrations(connection, [unread], 2)).not.toThrow();
});

it('refuses a database to which a newer program has applied more migrations', () => {
  applyMigrations(connection, [FIRST, SECOND], 1);
  expect(() => applyMigrations(connection, [FIRST], 1)).toThrow(expect.objectContaining({ kind: 'newer' }));
});

it('tells a database of another program from an empty one and from its own', () => {
  const schema = { applicationId: 7, migrations: [FIRST, SECOND] };
  expect(inspectSchema(connection, schema)).toBe(0);
  applyMigrations(connection, [FIRST], 1);
  expect(() => inspectSchema(connection, schema)).toThrow(expect.objectContaining({ kind: 'foreign' }));
  connection.database.exec('pragma application_id = 7');
  expect(inspectSchema(connection, schema)).toBe(1);
  expect(() => inspectSchema(connection, { ...schema, migrations: [] })).toThrow(
    expect.objectContaining({ kind: 'newer' }),
  );
});

it('reads the SQL files of a directory in the order of their names, and only when asked for one', () => {
  for (const name of ['0002-b.sql', '0001-a.sql', 'notes.txt']) writeFileSync(join(home.path, name), name);
  const found = readMigrations(home.path);
  rmSync(join(home.path, '0001-a.sql'));
  expect(found.map(({ name }) => name)).toEqual(['0001-a.sql', '0002-b.sql']);
  expect(found[1]?.sql()).toBe('0002-b.sql');
  expect(() => found[0]?.sql()).toThrow('ENOENT');
});
