import { existsSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TemporaryDirectory, temporaryDirectory } from '@plugboard/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openConnection, openForWriting, realPathOf, takeLock } from '../src/index.ts';

let home: TemporaryDirectory;
let file: string;

beforeEach(() => {
  home = temporaryDirectory();
  file = join(home.path, 'a.db');
});
afterEach(() => home[Symbol.dispose]());

const SCHEMA = {
  applicationId: 7,
  migrations: [{ name: '1.sql', sql: () => 'pragma application_id = 7; create table a (x)' }],
};

function open(path = file, prepare = (): void => {}) {
  const real = realPathOf(path);
  const opened = openForWriting(real, {
    schema: SCHEMA,
    connect: openConnection,
    takeLock: () => takeLock(real),
    prepare,
    now: 1,
  });
  return () => {
    opened.connection.database.close();
    opened.lock.release();
  };
}

it('makes a database and its lock file for their owner alone', () => {
  open()();
  for (const path of [file, `${file}.lock`]) expect(statSync(path).mode & 0o777).toBe(0o600);
});

it('refuses a second opener, also by another name, and names the process that has the lock', () => {
  const close = open();
  const link = join(home.path, 'link.db');
  symlinkSync(file, link);
  expect(() => open(link)).toThrow(
    expect.objectContaining({ kind: 'in-use', holder: `process ${process.pid}` }),
  );
  close();
  open()();
});

it('is not kept out by a lock file that a power failure has damaged', () => {
  open()();
  writeFileSync(`${file}.lock`, 'x'.repeat(5_000));
  open()();
});

it('puts no lock file beside a database of another program', () => {
  const other = new DatabaseSync(file);
  other.exec('create table bookmarks (url)');
  other.close();
  expect(() => open()).toThrow(expect.objectContaining({ kind: 'foreign' }));
  expect(readdirSync(home.path)).toEqual(['a.db']);
});

it('releases the lock when the database cannot be prepared', () => {
  const fail = (): void => {
    throw new Error('no');
  };
  expect(() => open(file, fail)).toThrow('no');
  expect(existsSync(`${file}.lock`)).toBe(true);
  open()();
});
