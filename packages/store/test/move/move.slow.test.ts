import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { openSqlite } from '../../src/drivers/sqlite/open.ts';
import { moveStore } from '../../src/move/move-store.ts';
import { LEFT_OUT, TABLES } from '../../src/move/tables.ts';
import { directory } from '../files.ts';
import { useServer } from '../postgres/server.ts';
import { makeFullStore, NASTY, rowsOf } from './full-store.ts';

const its = useServer({ durable: false });

const files = (): { file: string; back: string } => {
  const home = directory();
  return { file: join(home, 'store.db'), back: join(home, 'back.db') };
};

/** The columns that a database has, by tables; those of indexes and of the server itself are left out. */
function sqliteColumns(file: string): Map<string, string[]> {
  const database = new DatabaseSync(file, { readOnly: true });
  const tables = database
    .prepare(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name not like 'said%\\_%' escape '\\'",
    )
    .all() as { name: string }[];
  const found = new Map(
    tables.map(({ name }) => {
      const columns = database.prepare(`select name from pragma_table_info('${name}')`).all() as {
        name: string;
      }[];
      return [name, columns.map((column) => column.name)];
    }),
  );
  database.close();
  return found;
}

describe('the tables of a move', () => {
  it('are all tables of both databases, with all their columns', async () => {
    const { file } = files();
    await openSqlite(file, { clock: Date.now }).close();
    const url = await its.server.createDatabase();
    await its.open(url);
    const client = await its.connect(url);
    const { rows } = await client.query<{ table: string; column: string }>(
      `select table_name as table, column_name as column from information_schema.columns where table_schema = 'public'`,
    );
    const postgres = Map.groupBy(rows, ({ table }) => table);
    const sqlite = sqliteColumns(file);
    const known = new Set([...TABLES.map(({ name }) => name), ...Object.keys(LEFT_OUT)]);
    expect([...postgres.keys(), ...sqlite.keys()].filter((name) => !known.has(name))).toEqual([]);
    for (const { name, columns, assigned } of TABLES) {
      const inSqlite = [...columns.flatMap((column) => column.sqlite ?? []), ...(assigned?.sqlite ?? [])];
      expect(inSqlite.sort(), `${name} in SQLite`).toEqual(sqlite.get(name)?.sort());
      const inPostgres = columns.flatMap((column) => column.postgres ?? []);
      expect(inPostgres.sort(), `${name} in Postgres`).toEqual(
        postgres
          .get(name)
          ?.map(({ column }) => column)
          .sort(),
      );
    }
  });

  it('have rows in the test store, each column with a value that says something', async () => {
    const { file } = files();
    await makeFullStore(file);
    for (const { name, key } of TABLES) {
      const rows = rowsOf(file, name, key.sqlite.join(', '));
      expect(rows.length, name).toBeGreaterThanOrEqual(NASTY.length);
      for (const column of Object.keys(rows[0] ?? {}))
        expect(
          rows.some((row) => ![null, 0, ''].includes(row[column] as null)),
          `${name}.${column}`,
        ).toBe(true);
    }
  });
});

describe('a move', () => {
  it('to Postgres and back gives the same rows', async () => {
    const { file, back } = files();
    await makeFullStore(file);
    const url = await its.server.createDatabase();
    const before = readFileSync(file);
    const there = await moveStore({ from: { kind: 'sqlite', file }, to: { kind: 'postgres', url } });
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(there).toMatchObject({ isResumed: false, changedTexts: 0 });
    const again = await moveStore({ from: { kind: 'postgres', url }, to: { kind: 'sqlite', file: back } });
    expect(again.tables).toEqual(there.tables);
    for (const { name, key } of TABLES) {
      const ordered = name === 'events' ? 'session, number' : key.sqlite.join(', ');
      const wanted = rowsOf(file, name, ordered).map((row) => forgetLong(name, row));
      expect(
        rowsOf(back, name, ordered).map((row) => forgetLong(name, row)),
        name,
      ).toEqual(wanted);
    }
    expect(existsSync(`${back}.moving`)).toBe(false);
  });

  it('gives stores that go on where the other was, with searches, numbers and the time of the first', async () => {
    const { file, back } = files();
    const first = openSqlite(file, { clock: Date.now });
    const session = await first.sessions.open({ channel: 'web', place: 'hall', agent: 'echo' });
    await first.sessions.rename(session.id, 'Frühstück at eight');
    const admit = { sessionId: session.id, attachments: [], sender: 'ada' };
    await first.inbox.admit({ ...admit, source: 'one', text: 'Where is the marmalade?' });
    const { createdAt } = first;
    await first.close();
    const url = await its.server.createDatabase();
    await moveStore({ from: { kind: 'sqlite', file }, to: { kind: 'postgres', url } });
    const second = await its.open(url);
    expect(second.createdAt).toBe(createdAt);
    for (const search of ['marmalade', 'frühstück'])
      expect((await second.sessions.list({ search, limit: 9 })).map(({ id }) => id)).toEqual([session.id]);
    expect(
      await second.inbox.admit({ ...admit, source: 'one', text: 'Where is the marmalade?' }),
    ).toMatchObject({ duplicate: true });
    const added = await second.inbox.admit({ ...admit, source: 'two', text: 'And the honey?' });
    expect(added.number).toBe(2);
    const other = await second.sessions.open({ channel: 'web', place: 'attic', agent: 'echo' });
    await second.inbox.admit({ ...admit, sessionId: other.id, source: 'three', text: 'Hello?' });
    await second.close();
    await moveStore({ from: { kind: 'postgres', url }, to: { kind: 'sqlite', file: back } });
    const third = openSqlite(back, { clock: Date.now });
    expect(third.createdAt).toBe(createdAt);
    for (const search of ['honey', 'frühstück'])
      expect((await third.sessions.list({ search, limit: 9 })).map(({ id }) => id)).toEqual([session.id]);
    expect(
      (await third.turns.claim({ node: 'n', leaseMs: 1_000, limit: 9 }))
        .map(({ message }) => message?.text)
        .sort(),
    ).toEqual(['Hello?', 'Where is the marmalade?']);
    await third.verify();
    await third.close();
  });

  it('replaces NUL, which Postgres does not take, and says how often', async () => {
    const { file } = files();
    await makeFullStore(file);
    const database = new DatabaseSync(file);
    database.prepare('update people set name = :name where seq = 1').run({ name: 'a\0b' });
    database.close();
    const url = await its.server.createDatabase();
    const moved = await moveStore({ from: { kind: 'sqlite', file }, to: { kind: 'postgres', url } });
    expect(moved.changedTexts).toBe(1);
    const client = await its.connect(url);
    const { rows } = await client.query('select name from people where seq = 1');
    expect(rows).toEqual([{ name: 'a\uFFFDb' }]);
  });

  it('with rows that are larger than a batch, and with many, is complete', async () => {
    const { file } = files();
    await makeFullStore(file, { events: 3_000 });
    const database = new DatabaseSync(file);
    const body = JSON.stringify({ type: 'message', text: 'x'.repeat(6 * 1024 ** 2), media: [] });
    database
      .prepare('update events set body = :body where session = 3 and number in (7, 8, 9)')
      .run({ body });
    database.close();
    const { back } = files();
    const url = await its.server.createDatabase();
    const moved = await moveStore({ from: { kind: 'sqlite', file }, to: { kind: 'postgres', url } });
    expect(moved.tables.find(({ name }) => name === 'events')).toEqual({
      name: 'events',
      rows: 3_000 * NASTY.length,
    });
    await moveStore({ from: { kind: 'postgres', url }, to: { kind: 'sqlite', file: back } });
  });
});

/** The way back has the key of a long text. */
function forgetLong(table: string, row: Record<string, unknown>): Record<string, unknown> {
  const { seq, source, ...rest } = row;
  const isLong = typeof source === 'string' && (source.length > 200 || source.startsWith('sha256:'));
  return { ...rest, ...(table === 'events' ? {} : { seq }), source: isLong ? 'long' : source };
}

describe('a move is refused', () => {
  const full = async (): Promise<{ file: string; url: string }> => {
    const { file } = files();
    await makeFullStore(file);
    return { file, url: await its.server.createDatabase() };
  };

  it('while a gateway has the source or the target', async () => {
    const { file, url } = await full();
    const move = () => moveStore({ from: { kind: 'sqlite', file }, to: { kind: 'postgres', url } });
    const source = openSqlite(file, { clock: Date.now });
    await expect(move()).rejects.toMatchObject({ code: 'in-use' });
    await source.close();
    const target = await its.open(url, { node: { name: 'north', version: '1' } });
    await expect(move()).rejects.toMatchObject({ code: 'in-use' });
    await target.close();
    await move();
  });

  it('into a store with anything else, which stays as it was', async () => {
    const { file, url } = await full();
    const store = await its.open(url);
    await store.sessions.open({ channel: 'web', place: 'hall', agent: 'echo' });
    await store.close();
    await expect(
      moveStore({ from: { kind: 'sqlite', file }, to: { kind: 'postgres', url } }),
    ).rejects.toThrow(/There is a store in the database .* already\. Make a new database/);
    expect(await (await its.open(url)).sessions.list({ limit: 9 })).toHaveLength(1);
    const from = { kind: 'postgres', url } as const;
    await expect(moveStore({ from, to: { kind: 'sqlite', file } })).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  it('from what is no store', async () => {
    const { file } = files();
    const url = await its.server.createDatabase();
    await expect(
      moveStore({ from: { kind: 'sqlite', file }, to: { kind: 'postgres', url } }),
    ).rejects.toThrow(/There is no store to move/);
    await expect(
      moveStore({ from: { kind: 'postgres', url }, to: { kind: 'sqlite', file } }),
    ).rejects.toThrow(/There is no store to move/);
    expect(existsSync(file)).toBe(false);
  });

  it('when the copy differs, and no gateway opens it then', async () => {
    const { file, url } = await full();
    const client = await its.connect(url);
    const spoil = async (): Promise<void> => {
      await client.query("update people set name = 'other' where seq = 1");
    };
    let isSpoiled = false;
    const spoiling: Promise<void>[] = [];
    const move = moveStore({
      from: { kind: 'sqlite', file },
      to: { kind: 'postgres', url },
      onProgress: ({ stage }) => {
        if (stage === 'copying' || isSpoiled) return;
        isSpoiled = true;
        spoiling.push(spoil());
      },
    });
    await expect(move).rejects.toThrow(/the table people has other values/);
    await Promise.all(spoiling);
    await expect(its.open(url)).rejects.toThrow(/A move into the database .* is not finished/);
  });

  it('when events have a gap, with the session and the number', async () => {
    const { file, url } = await full();
    const database = new DatabaseSync(file);
    database.exec('delete from events where session = 4 and number = 17');
    database.close();
    await expect(
      moveStore({ from: { kind: 'sqlite', file }, to: { kind: 'postgres', url } }),
    ).rejects.toThrow(/events of session 4 .* gap before number 18/);
  });
});
