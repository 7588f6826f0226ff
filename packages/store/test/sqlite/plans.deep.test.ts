import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { applyMigrations } from '@plugboard/sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStoreConnection, prepareToWrite } from '../../src/drivers/sqlite/connection.ts';
import { ownMigrations } from '../../src/drivers/sqlite/open.ts';
import { createStore } from '../../src/drivers/sqlite/store.ts';
import type { Opened } from '../contract/setup.ts';
import { describeStore } from '../contract-suite.ts';
import { directory } from '../files.ts';
import { copyLargeStore } from '../large/large-store.ts';

/** Every statement that the contract suite made the driver prepare. */
const prepared = new Set<string>();

/** A store as `openFile` gives one, whose statements are noted. */
async function openNoted(): Promise<Opened> {
  const home = directory();
  const clock = { now: 1_000_000 };
  const open = () => {
    const connection = openStoreConnection(join(home, 'store.db'));
    prepareToWrite(connection, 'normal');
    applyMigrations(connection, ownMigrations(), clock.now);
    return createStore(connection, () => clock.now, {
      isHeld: () => true,
      release() {
        for (const sql of connection.statements.keys()) prepared.add(sql);
      },
    });
  };
  let store = open();
  return {
    get store() {
      return store;
    },
    clock,
    async reopen() {
      await store.close();
      store = open();
      return store;
    },
    async destroy() {
      await store.close();
      rmSync(home, { recursive: true });
    },
  };
}

describeStore('sqlite, with its statements noted', openNoted);

/** Tables that stay small whatever is said: one row each, as many rows as an operator made tokens or let people in, or those of two days. */
const SMALL = new Set([
  'indexed',
  'checks',
  'tokens',
  'people',
  'invitations',
  'spending',
  'errands',
  'migrations',
  'sqlite_schema',
  'growth',
]);

/** Partial indexes that hold only what waits, runs or is still to be sent: they do not grow with history. */
const OPEN_WORK =
  /USING (COVERING )?INDEX (sessions_ready|sessions_running|messages_waiting|deliveries_open)$/;

describe('the plan of every statement of the store, with 1,000,000 messages', () => {
  const home = directory();
  let database: DatabaseSync;
  let tables: ReadonlySet<string>;

  beforeAll(async () => {
    await copyLargeStore(1_000_000, join(home, 'large.db'));
    const connection = openStoreConnection(join(home, 'large.db'));
    database = connection.database;
    const names = database.prepare("select name from sqlite_schema where type = 'table'").all();
    tables = new Set(
      names.map(({ name }) => String(name)).filter((name) => !SMALL.has(name) && !/^said/.test(name)),
    );
  });
  afterAll(() => {
    database.close();
    rmSync(home, { recursive: true });
  });

  /** The steps of a plan that read a whole table, or a whole index. A `limit` ends them early only when every row counts. */
  function scansOf(sql: string): string[] {
    const steps = database.prepare(`explain query plan ${sql}`).all() as { detail: string }[];
    return steps
      .map(({ detail }) => detail)
      .filter(
        (detail) =>
          tables.has(/^SCAN (\w+)/.exec(detail)?.[1] ?? '') && !OPEN_WORK.test(detail) && !isPage(sql),
      );
  }

  it('no statement of the contract suite reads a whole table', () => {
    expect(prepared.size).toBeGreaterThan(80);
    expect([...prepared].flatMap((sql) => scansOf(sql).map((scan) => `${scan}: ${sql}`))).toEqual([]);
  });
});

/** Whether a statement lists the newest rows without leaving any out: it reads as many as `limit` says. */
function isPage(sql: string): boolean {
  return !/\bwhere\b[^)]*$/.test(sql) && /order by [\w ,]+ limit :limit$/.test(sql);
}
