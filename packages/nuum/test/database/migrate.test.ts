import { join } from 'node:path';
import { type TemporaryDirectory, temporaryDirectory } from '@plugboard/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Connection, connect, rows } from '../../src/database/connection.ts';
import { migrate, ownMigrations } from '../../src/database/migrate.ts';
import { transaction } from '../../src/database/transaction.ts';

let home: TemporaryDirectory;
let connection: Connection;

beforeEach(() => {
  home = temporaryDirectory();
  connection = connect(join(home.path, 'agent.db'));
});
afterEach(() => {
  connection.database.close();
  home[Symbol.dispose]();
});

const FIRST = { name: '0001-first.sql', sql: () => 'create table a (x); insert into a values (1);' };
const SECOND = { name: '0002-second.sql', sql: () => 'create table b (x); insert into a values (2);' };

const valuesOfA = (): number[] => rows<{ x: number }>(connection, 'select x from a').map(({ x }) => x);

it('applies each migration once, in order', () => {
  migrate(connection, [FIRST], 1);
  migrate(connection, [FIRST, SECOND], 2);
  migrate(connection, [FIRST, SECOND], 3);
  expect(rows(connection, 'select number, name, applied_at from migrations')).toEqual([
    { number: 1, name: '0001-first.sql', applied_at: 1 },
    { number: 2, name: '0002-second.sql', applied_at: 2 },
  ]);
  expect(valuesOfA()).toEqual([1, 2]);
});

it('leaves nothing of a migration that was interrupted, and completes it the next time', () => {
  const broken = { ...SECOND, sql: () => `${SECOND.sql()} insert into missing values (1);` };
  expect(() => migrate(connection, [FIRST, broken], 1)).toThrow('missing');
  expect(valuesOfA()).toEqual([1]);
  migrate(connection, [FIRST, SECOND], 2);
  expect(valuesOfA()).toEqual([1, 2]);
});

it('does not repeat what another connection has done meanwhile', () => {
  const other = connect(connection.file);
  migrate(other, [FIRST, SECOND], 1);
  other.database.close();
  migrate(connection, [FIRST, SECOND], 1);
  expect(valuesOfA()).toEqual([1, 2]);
});

it('reads no migration that is done', () => {
  migrate(connection, [FIRST], 1);
  const unread = {
    ...FIRST,
    sql: () => {
      throw new Error('read');
    },
  };
  expect(() => migrate(connection, [unread], 2)).not.toThrow();
});

it('finds its own migrations numbered from 1 without a gap', () => {
  const numbers = ownMigrations().map(({ name }) => Number(name.slice(0, 4)));
  expect(numbers.length).toBeGreaterThan(0);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
});

it('makes a transaction within another a part of it', () => {
  migrate(connection, [FIRST], 1);
  expect(() =>
    transaction(connection, () => {
      transaction(connection, () => connection.database.exec('insert into a values (5)'));
      throw new Error('no');
    }),
  ).toThrow('no');
  expect(valuesOfA()).toEqual([1]);
});
