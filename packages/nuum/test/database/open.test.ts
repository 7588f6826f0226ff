import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { runStatement } from '@plugboard/sqlite';
import { type TemporaryDirectory, temporaryDirectory } from '@plugboard/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenDatabase, openDatabase, readSchema } from '../../src/database/open.ts';

let home: TemporaryDirectory;
let file: string;
let open: OpenDatabase[];

beforeEach(() => {
  home = temporaryDirectory();
  file = join(home.path, 'agent.db');
  open = [];
});
afterEach(() => {
  for (const database of open) database.close();
  home[Symbol.dispose]();
});

function opening(path = file, readOnly = false): OpenDatabase {
  const database = openDatabase(path, { now: () => 1_000, readOnly });
  open.push(database);
  return database;
}

function refusal(path = file, readOnly = false): unknown {
  try {
    opening(path, readOnly).close();
    return 'opened';
  } catch (error) {
    return { code: (error as { code?: string }).code, message: (error as Error).message };
  }
}

function thrownBy(act: () => void): unknown {
  try {
    act();
    return undefined;
  } catch (error) {
    return error;
  }
}

function alter(sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

describe('a new file', () => {
  it('a new memory, its log and its lock file are for their owner alone', () => {
    opening();
    for (const path of [file, `${file}-wal`, `${file}.lock`]) expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('a memory that was copied with wider permissions loses them', () => {
    opening().close();
    chmodSync(file, 0o644);
    opening();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});

describe('one process', () => {
  it('a second process is refused, and told which process has the memory', () => {
    opening();
    expect(refusal()).toEqual({
      code: 'in-use',
      message: `The memory ${file} is in use by process ${process.pid}; one database is one agent.`,
    });
  });

  it('a closed memory can be opened by the next process', () => {
    opening().close();
    expect(refusal()).toBe('opened');
  });

  it('a memory is locked under all of its names', () => {
    opening();
    const other = join(home.path, 'other.db');
    symlinkSync(file, other);
    expect(refusal(other)).toMatchObject({ code: 'in-use' });
  });

  it('a memory is still in use when its lock file was deleted', async () => {
    opening();
    rmSync(`${file}.lock`);
    await expect.poll(() => existsSync(`${file}.lock`)).toBe(true);
    expect(refusal()).toMatchObject({ code: 'in-use' });
  });

  it('a process that lost its memory because the lock file was deleted is told so', async () => {
    const first = opening();
    rmSync(`${file}.lock`);
    // Blocks until the time is over, so that the first one cannot make its lock anew.
    opening();
    await expect.poll(() => thrownBy(() => first.ensureThere())).toMatchObject({ code: 'in-use' });
  });

  it('a memory with a hard link is refused', () => {
    opening().close();
    linkSync(file, join(home.path, 'other.db'));
    expect(refusal()).toEqual({
      code: 'unavailable',
      message: expect.stringContaining('has another name (a hard link)'),
    });
    rmSync(join(home.path, 'other.db'));
    expect(refusal()).toBe('opened');
  });

  it('what is not a file is refused, and keeps its permissions', () => {
    const before = statSync('/dev/null').mode;
    expect(thrownBy(() => openDatabase('/dev/null', { now: () => 0 }))).toMatchObject({
      code: 'unavailable',
    });
    expect(statSync('/dev/null').mode).toBe(before);
  });

  it('a damaged lock file does not keep a memory from being opened', () => {
    opening().close();
    writeFileSync(`${file}.lock`, 'x'.repeat(5_000));
    expect(refusal()).toBe('opened');
  });
});

describe('looking into a memory', () => {
  it('a memory can be read while another process writes to it', () => {
    const { connection } = opening();
    const reader = opening(file, true);
    runStatement(connection, "insert into settings values ('a', 'b')");
    expect(reader.connection.database.prepare('select value from settings').get()).toEqual({ value: 'b' });
  });

  it('a memory opened for reading cannot be written to', () => {
    opening().close();
    const { connection } = opening(file, true);
    expect(() => runStatement(connection, "insert into settings values ('a', 'b')")).toThrow(
      expect.objectContaining({ code: 'read-only' }),
    );
  });

  it('reading a memory that does not exist makes no file', () => {
    expect(refusal(file, true)).toEqual({ code: 'not-found', message: `There is no memory ${file}.` });
    expect(existsSync(file)).toBe(false);
  });

  it('reading does not apply the migrations of an older memory', () => {
    opening().close();
    alter('delete from migrations where number > 1');
    expect(refusal(file, true)).toMatchObject({ code: 'outdated', message: expect.stringContaining(file) });
  });
});

describe('a file is refused, and left as it is', () => {
  it('a database of another program is refused and left as it is', () => {
    alter('create table theirs (x)');
    const before = readFileSync(file);
    expect(refusal()).toMatchObject({ code: 'foreign', message: expect.stringContaining('another program') });
    expect(readFileSync(file)).toEqual(before);
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  it('a file that is no database is refused and left as it is', () => {
    writeFileSync(file, 'once upon a time '.repeat(100));
    expect(refusal()).toEqual({
      code: 'foreign',
      message: `The memory ${file} is not a database; choose another file.`,
    });
    expect(readFileSync(file, 'utf8')).toContain('once upon');
  });

  it('a memory of a newer version is refused and left as it is', () => {
    opening().close();
    alter("insert into migrations values (99, '0099-later.sql', 1)");
    const before = readFileSync(file);
    expect(refusal()).toMatchObject({ code: 'newer', message: expect.stringContaining('use that version') });
    expect(refusal(file, true)).toMatchObject({ code: 'newer' });
    expect(readFileSync(file)).toEqual(before);
  });

  it('a damaged memory is refused', () => {
    const { connection, close } = opening();
    for (let n = 0; n < 200; n += 1) {
      runStatement(connection, 'insert into settings values (:n, :value)', {
        n: `${n}`,
        value: 'text '.repeat(500),
      });
    }
    close();
    const bytes = readFileSync(file);
    bytes.fill(0x5a, 4_096);
    writeFileSync(file, bytes);
    expect(refusal()).toMatchObject({ code: 'corrupt', message: expect.stringContaining('restore it') });
  });

  it('a directory is refused as a memory, and so is a file in no directory', () => {
    mkdirSync(file);
    expect(refusal()).toMatchObject({ code: 'unavailable', message: expect.stringContaining(file) });
    expect(refusal(join(home.path, 'missing', 'agent.db'))).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('its directory does not exist'),
    });
  });

  it('a memory that cannot be written to is refused', () => {
    chmodSync(home.path, 0o777);
    writeFileSync(file, '');
    chmodSync(file, 0o444);
    // Nothing is read-only to root.
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(65_534);
    try {
      expect(refusal()).toMatchObject({ code: 'read-only', message: expect.stringContaining('permissions') });
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });
});

it('a closed memory says that it is closed', () => {
  const { connection, close } = opening();
  close();
  expect(() => runStatement(connection, "insert into settings values ('a', 'b')")).toThrow(
    `The memory ${file} is closed.`,
  );
  expect(close).not.toThrow();
});

it('the migrations of a memory are numbered from 1 without a gap', () => {
  const numbers = readSchema().migrations.map(({ name }) => Number(name.slice(0, 4)));
  expect(numbers.length).toBeGreaterThan(0);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
});
