import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { applyMigrations } from '@plugboard/sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Store } from '../../src/contract/store.ts';
import {
  type Connection,
  findRow,
  openStoreConnection,
  prepareToWrite,
} from '../../src/drivers/sqlite/connection.ts';
import { ownMigrations } from '../../src/drivers/sqlite/open.ts';
import { createStore } from '../../src/drivers/sqlite/store.ts';
import { place, say, transcript } from '../contract/setup.ts';
import { directory } from '../files.ts';

let home: string;
let connection: Connection;
let store: Store;

/** Lets the file grow to so many pages, as a disk would that has no more room. */
function roomFor(pages: number): void {
  connection.database.exec(`pragma max_page_count = ${pages}`);
}

beforeEach(() => {
  home = directory();
  connection = openStoreConnection(join(home, 'store.db'));
  prepareToWrite(connection, 'full');
  applyMigrations(connection, ownMigrations(), 1);
  store = createStore(connection, () => 1_000, { isHeld: () => true, release() {} });
});
afterEach(async () => {
  await store.close();
  rmSync(home, { recursive: true });
});

it('a full disk refuses writes with full, keeps committed rows, and takes writes again when it has room', async () => {
  const session = await store.sessions.open(place('hall'));
  roomFor(100);
  const results = await Promise.allSettled(
    Array.from({ length: 300 }, (_, n) => say(store, session, `text ${n} `.repeat(100), `source ${n}`)),
  );
  const refused = results.filter((result) => result.status === 'rejected');
  const admitted = results.length - refused.length;
  expect(admitted).toBeGreaterThan(0);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]?.reason).toMatchObject({
    code: 'full',
    message: `The file ${connection.file} cannot grow: the disk is full.`,
  });

  expect(await transcript(store, session.id)).toHaveLength(admitted);
  expect(await store.sessions.get(session.id)).toMatchObject({ waiting: admitted, lastEvent: admitted });
  expect(findRow(connection, 'pragma integrity_check')).toEqual({ integrity_check: 'ok' });

  roomFor(100_000);
  await store.check();
  const again = results.findIndex(({ status }) => status === 'rejected');
  expect(await say(store, session, 'again', `source ${again}`)).toMatchObject({
    duplicate: false,
    number: admitted + 1,
  });
});

it('a token is found on a full disk although its use cannot be stored', async () => {
  await store.tokens.add({ id: 't', name: 'n', hash: 'h', scopes: ['chat'] });
  connection.database.exec('pragma query_only = on');
  await expect(store.check()).rejects.toMatchObject({ code: 'read-only' });
  expect(await store.tokens.find('h')).toMatchObject({ id: 't', lastUsedAt: undefined });
});
