import { join } from 'node:path';
import { type TemporaryDirectory, temporaryDirectory } from '@plugboard/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  type Connection,
  listRows,
  openConnection,
  runStatement,
  runTransaction,
  withSnapshot,
} from '../src/index.ts';

let home: TemporaryDirectory;
let connection: Connection;

beforeEach(() => {
  home = temporaryDirectory();
  connection = openConnection(join(home.path, 'a.db'));
  connection.database.exec('pragma journal_mode = wal; create table a (x)');
});
afterEach(() => {
  connection.database.close();
  home[Symbol.dispose]();
});

const insert = (x: number, into = connection) => runStatement(into, 'insert into a values (:x)', { x });
const values = (): number[] => listRows<{ x: number }>(connection, 'select x from a').map(({ x }) => x);

it('commits a transaction as a whole, and leaves nothing of one that throws', () => {
  runTransaction(connection, () => [insert(1), insert(2)]);
  expect(() =>
    runTransaction(connection, () => {
      insert(3);
      throw new Error('no');
    }),
  ).toThrow('no');
  expect(values()).toEqual([1, 2]);
});

it('makes a transaction within another a part of it', () => {
  expect(() =>
    runTransaction(connection, () => {
      runTransaction(connection, () => insert(5));
      throw new Error('no');
    }),
  ).toThrow('no');
  expect(values()).toEqual([]);
});

it('hides the writes of another connection from the reads of one snapshot', () => {
  const other = openConnection(connection.file);
  const [before, after] = withSnapshot(connection, () => {
    const seen = values();
    insert(1, other);
    return [seen, values()];
  });
  other.database.close();
  expect([before, after, values()]).toEqual([[], [], [1]]);
});
