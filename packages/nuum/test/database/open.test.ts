import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TemporaryDirectory, temporaryDirectory } from '@plugboard/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from '../../src/database/connection.ts';
import { type OpenDatabase, openDatabase } from '../../src/database/open.ts';

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

function alter(sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

describe('a new file', () => {
  it('is for the eyes of its owner alone, and so is its log', () => {
    opening();
    for (const path of [file, `${file}-wal`, `${file}.lock`]) expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('that was copied with wider permissions loses them', () => {
    opening().close();
    chmodSync(file, 0o644);
    opening();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});

describe('one process', () => {
  it('has a memory at a time, and is named to the second', () => {
    opening();
    expect(refusal()).toEqual({
      code: 'in-use',
      message: `The memory ${file} is in use by process ${process.pid}; one database is one agent.`,
    });
  });

  it('gives it back when it closes it', () => {
    opening().close();
    expect(refusal()).toBe('opened');
  });

  it('has it also under another name', () => {
    opening();
    const other = join(home.path, 'other.db');
    symlinkSync(file, other);
    expect(refusal(other)).toMatchObject({ code: 'in-use' });
  });

  it('is not kept out by a lock that a crash of the machine has left in pieces', () => {
    opening().close();
    writeFileSync(`${file}.lock`, 'x'.repeat(5_000));
    expect(refusal()).toBe('opened');
  });
});

describe('looking into a memory', () => {
  it('works while another has it, and sees what that writes', () => {
    const { connection } = opening();
    const reader = opening(file, true);
    run(connection, "insert into settings values ('a', 'b')");
    expect(reader.connection.database.prepare('select value from settings').get()).toEqual({ value: 'b' });
  });

  it('cannot write', () => {
    opening().close();
    const { connection } = opening(file, true);
    expect(() => run(connection, "insert into settings values ('a', 'b')")).toThrow(
      expect.objectContaining({ code: 'read-only' }),
    );
  });

  it('makes no file', () => {
    expect(refusal(file, true)).toEqual({ code: 'not-found', message: `There is no memory ${file}.` });
    expect(existsSync(file)).toBe(false);
  });

  it('does not bring an older one up to date', () => {
    opening().close();
    alter('delete from migrations where number > 1');
    expect(refusal(file, true)).toMatchObject({ code: 'outdated', message: expect.stringContaining(file) });
  });
});

describe('a file is refused, and left as it is', () => {
  it('when it is a database of another program', () => {
    alter('create table theirs (x)');
    const before = readFileSync(file);
    expect(refusal()).toMatchObject({ code: 'foreign', message: expect.stringContaining('another program') });
    expect(readFileSync(file)).toEqual(before);
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  it('when it is no database', () => {
    writeFileSync(file, 'once upon a time '.repeat(100));
    expect(refusal()).toEqual({
      code: 'foreign',
      message: `The memory ${file} is not a database; choose another file.`,
    });
    expect(readFileSync(file, 'utf8')).toContain('once upon');
  });

  it('when a newer version of the program wrote it', () => {
    opening().close();
    alter("insert into migrations values (99, '0099-later.sql', 1)");
    const before = readFileSync(file);
    expect(refusal()).toMatchObject({ code: 'newer', message: expect.stringContaining('use that version') });
    expect(refusal(file, true)).toMatchObject({ code: 'newer' });
    expect(readFileSync(file)).toEqual(before);
  });

  it('when it is damaged', () => {
    const { connection, close } = opening();
    for (let n = 0; n < 200; n += 1) {
      run(connection, 'insert into settings values (:n, :value)', { n: `${n}`, value: 'text '.repeat(500) });
    }
    close();
    const bytes = readFileSync(file);
    bytes.fill(0x5a, 4_096);
    writeFileSync(file, bytes);
    expect(refusal()).toMatchObject({ code: 'corrupt', message: expect.stringContaining('restore it') });
  });

  it('when it is a directory, or in none', () => {
    mkdirSync(file);
    expect(refusal()).toMatchObject({ code: 'unavailable', message: expect.stringContaining(file) });
    expect(refusal(join(home.path, 'missing', 'agent.db'))).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('its directory does not exist'),
    });
  });

  it('when it cannot be written to', () => {
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

it('says that it is closed', () => {
  const { connection, close } = opening();
  close();
  expect(() => run(connection, "insert into settings values ('a', 'b')")).toThrow(
    `The memory ${file} is closed.`,
  );
  expect(close).not.toThrow();
});
