import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  type Connection,
  findRow,
  openStoreConnection,
  prepareToWrite,
  runStatement,
} from '../../src/drivers/sqlite/connection.ts';
import { createWriter, type Writer } from '../../src/drivers/sqlite/writer.ts';
import { directory } from '../files.ts';

let home: string;
let connection: Connection;
let outside: Connection;
let writer: Writer;

beforeEach(() => {
  home = directory();
  connection = openStoreConnection(join(home, 'store.db'));
  prepareToWrite(connection, 'full');
  connection.database.exec('create table t (n integer primary key)');
  outside = openStoreConnection(connection.file);
  writer = createWriter(connection, { isHeld: () => true });
});
afterEach(() => {
  for (const { database } of [outside, connection]) database.close();
  rmSync(home, { recursive: true });
});

const insert = (n: number): number => runStatement(connection, 'insert into t values (:n)', { n }).changes;
const seen = (by: Connection): number =>
  findRow<{ n: number }>(by, 'select count(*) as n from t')?.n ?? Number.NaN;

it('writes of one event loop iteration share a commit and resolve after it', async () => {
  const during: number[] = [];
  await Promise.all(
    [1, 2, 3].map((n) =>
      writer
        .write(() => {
          insert(n);
          during.push(seen(outside));
        })
        .then(() => during.push(seen(outside))),
    ),
  );
  expect(during).toEqual([0, 0, 0, 3, 3, 3]);
});

it('a full batch is committed before the event loop iteration ends', async () => {
  const all = Array.from({ length: 1_000 }, (_, n) => writer.write(() => insert(n)));
  expect(seen(outside)).toBeGreaterThan(0);
  await Promise.all(all);
  expect(seen(outside)).toBe(1_000);
});

it('a write that throws is rolled back without its neighbours', async () => {
  const results = await Promise.allSettled([
    writer.write(() => insert(1)),
    writer.write(() => {
      insert(2);
      throw new Error('changed my mind');
    }),
    writer.write(() => insert(3)),
    writer.write(() => insert(1)),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected']);
  expect(results[1]).toMatchObject({ reason: { message: 'changed my mind' } });
  expect(results[3]).toMatchObject({ reason: { code: 'conflict' } });
  expect(findRow(outside, 'select group_concat(n) as all_n from t')).toMatchObject({ all_n: '1,3' });
});

it('a read runs at once and sees committed rows only', async () => {
  const written = writer.write(() => insert(1));
  expect(await writer.read(() => seen(connection))).toBe(0);
  await written;
  expect(await writer.read(() => seen(connection))).toBe(1);
});

it('end commits waiting writes and refuses later ones', async () => {
  const last = writer.write(() => insert(1));
  writer.end();
  expect(await last).toBe(1);
  await expect(writer.write(() => insert(2))).rejects.toMatchObject({ code: 'closed' });
  await expect(writer.read(() => 1)).rejects.toMatchObject({ code: 'closed' });
});
