import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Store } from '../../src/contract/store.ts';
import { openSqlite } from '../../src/drivers/sqlite/open.ts';
import { place, say } from '../contract/setup.ts';
import { directory } from '../files.ts';

let home: string;
let file: string;
const open = (path = file): Store => openSqlite(path, { clock: () => 1_000 });

beforeEach(() => {
  home = directory();
  file = join(home, 'store.db');
});
afterEach(() => rmSync(home, { recursive: true }));

/** What opening the file is refused with. */
function refusal(path = file): { code: string; message: string } {
  try {
    open(path);
  } catch (error) {
    return { code: (error as { code: string }).code, message: (error as Error).message };
  }
  throw new Error('It was opened.');
}

function alter(sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

describe('a store in a file', () => {
  it('a store file is readable for its owner alone', async () => {
    const store = open();
    await store.check();
    const modes = readdirSync(home).map((name) => statSync(join(home, name)).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600, 0o600, 0o600]);
    await store.close();
  });

  it('a store makes a long write-ahead log at its start only if its commits sync', async () => {
    const log = `${file}-wal`;
    const synced = open();
    const long = statSync(log).size;
    await synced.close();
    const unsynced = openSqlite(file, { clock: () => 1_000, synchronous: 'normal', copy: true });
    expect([long > 16_000_000, statSync(log).size < 1_000_000]).toEqual([true, true]);
    await unsynced.close();
  });

  it('a store with a hard link is refused, and its remedy makes a file of its own', async () => {
    await open().close();
    const other = join(directory(), 'other.db');
    linkSync(file, other);
    for (const path of [file, other]) {
      const { code, message } = refusal(path);
      expect(code).toBe('unavailable');
      expect(message).toContain(`The file ${path} has another name (a hard link)`);
    }
    const remedy = refusal().message.split('Make it a file of its own: ')[1] ?? '';
    execFileSync('/bin/sh', ['-c', remedy]);
    await open().close();
  });

  it('a second process is refused a store with the PID of the first', async () => {
    const store = open();
    expect(refusal()).toEqual({
      code: 'in-use',
      message: `The file ${file} is in use by process ${process.pid}.`,
    });
    await store.check();
    await store.close();
    await open().close();
  });

  it('a process keeps its store when the lock file is deleted', async () => {
    const store = open();
    await store.sessions.open(place('hall'));
    rmSync(`${file}.lock`);
    const other = spawn(process.execPath, [join(import.meta.dirname, 'programs/opener.ts'), file]);
    onTestFinished(() => void other.kill('SIGKILL'));
    const [answer] = await once(other.stdout, 'data');
    expect(String(answer)).toContain(`in-use: The file ${file} is in use by process ${process.pid}.`);
    await store.check();
    await store.close();
  });

  it('an opener without a lock file waits for a holder to make one, unless the store is a copy', async () => {
    await open().close();
    const timeOf = async (copy: boolean): Promise<number> => {
      rmSync(`${file}.lock`);
      const began = performance.now();
      const store = openSqlite(file, { clock: () => 1_000, copy });
      const took = performance.now() - began;
      await store.close();
      return took;
    };
    expect(await timeOf(false)).toBeGreaterThan(1_200);
    // The best of several: the disk may be busy.
    expect(Math.min(await timeOf(true), await timeOf(true), await timeOf(true))).toBeLessThan(1_200);
  });

  it('a process whose lock was taken by another writes no more', async () => {
    const store = open();
    await store.sessions.open(place('hall'));
    rmSync(`${file}.lock`);
    // As another process would that did not wait.
    const thief = new DatabaseSync(`${file}.lock`);
    thief.exec('create table owner (pid integer); begin immediate');
    await expect
      .poll(
        () =>
          store.check().then(
            () => 'written',
            (error) => error.code,
          ),
        { timeout: 5_000 },
      )
      .toBe('in-use');
    thief.close();
    await store.close();
  });

  it('verify rejects with corrupt for a damaged store', async () => {
    const filled = open();
    const session = await filled.sessions.open(place('hall'));
    for (let number = 0; number < 200; number += 1)
      await say(filled, session, `${number} ${'x'.repeat(500)}`);
    await filled.verify();
    await filled.close();
    const bytes = readFileSync(file);
    const page = 4_096;
    bytes.fill(0xa5, bytes.length - 4 * page, bytes.length - 2 * page);
    writeFileSync(file, bytes);
    const store = open();
    await expect(store.verify()).rejects.toMatchObject({
      code: 'corrupt',
      message: expect.stringContaining('is damaged: restore it from a backup'),
    });
    await store.close();
  });

  it('a store can be closed while verify runs', async () => {
    const store = open();
    const verified = store.verify();
    await store.close();
    await verified;
  });

  it('a symbolic link to an open store is refused as the same store', async () => {
    const store = open();
    const link = join(home, 'link.db');
    symlinkSync(file, link);
    expect(refusal(link).code).toBe('in-use');
    await store.close();
  });

  it('another connection can read an open store', async () => {
    const store = open();
    await store.sessions.open(place('hall'));
    const reader = new DatabaseSync(file, { readOnly: true });
    expect(reader.prepare('select count(*) as n from sessions').get()).toMatchObject({ n: 1 });
    reader.close();
    await store.close();
  });

  it('a refused file leaves no lock: a store can be opened under its name', async () => {
    writeFileSync(file, 'no database');
    expect(refusal().code).toBe('foreign');
    rmSync(file);
    await open().close();
  });
});

describe('a file that cannot be a store', () => {
  it('a database of another program is refused as foreign and stays unchanged', () => {
    alter('create table bookmarks (url text); insert into bookmarks values (1)');
    const before = readFileSync(file);
    expect(refusal()).toEqual({
      code: 'foreign',
      message: `The file ${file} is a database of another program.`,
    });
    expect(readFileSync(file)).toEqual(before);
    expect(readdirSync(home)).toEqual(['store.db']);
  });

  it.each(['ab', 'just a text\n'.repeat(1_000)])(
    'a file that is no database is refused as foreign and stays unchanged',
    (text) => {
      writeFileSync(file, text);
      expect(refusal()).toEqual({ code: 'foreign', message: `The file ${file} is not a database.` });
      expect(readFileSync(file, 'utf8')).toBe(text);
      expect(readdirSync(home)).toEqual(['store.db']);
    },
  );

  it('a store of a newer version is refused as newer and stays unchanged', async () => {
    await open().close();
    alter("insert into migrations values (99, '0099-later.sql', 1)");
    const before = readFileSync(file);
    expect(refusal()).toEqual({
      code: 'newer',
      message: `The file ${file} was written by a newer version of this program.`,
    });
    expect(readFileSync(file)).toEqual(before);
  });

  it('a file without write permission is refused as read-only', () => {
    chmodSync(home, 0o777);
    writeFileSync(file, '');
    chmodSync(file, 0o444);
    // Nothing is read-only to root.
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(65_534);
    try {
      expect(refusal()).toEqual({ code: 'read-only', message: `The file ${file} cannot be written to.` });
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });

  it('a directory, and a file in a missing directory, are refused as unavailable', () => {
    mkdirSync(file);
    expect(refusal()).toMatchObject({ code: 'unavailable', message: expect.stringContaining(file) });
    const nowhere = join(home, 'missing', 'store.db');
    expect(refusal(nowhere)).toEqual({
      code: 'unavailable',
      message: `The file ${nowhere} cannot be opened: its directory does not exist.`,
    });
  });
});

describe('a damaged file', () => {
  it('a damaged store is refused as corrupt, with the name of its file', async () => {
    const store = open();
    const session = await store.sessions.open(place('hall'));
    for (let n = 0; n < 200; n += 1) await say(store, session, `text ${n} `.repeat(100));
    await store.close();
    const bytes = readFileSync(file);
    bytes.fill(0x5a, 4_096);
    writeFileSync(file, bytes);
    const damaged = { code: 'corrupt', message: `The file ${file} is damaged: restore it from a backup.` };
    expect(refusal()).toEqual(damaged);
  });
});
