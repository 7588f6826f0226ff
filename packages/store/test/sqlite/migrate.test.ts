import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { applyMigrations } from '@plugboard/sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Connection, openStoreConnection } from '../../src/drivers/sqlite/connection.ts';
import { listDeliveries, toDelivery } from '../../src/drivers/sqlite/messages/outbox.ts';
import { openSqlite, ownMigrations } from '../../src/drivers/sqlite/open.ts';
import { directory } from '../files.ts';

let home: string;
let connection: Connection;

beforeEach(() => {
  home = directory();
  connection = openStoreConnection(join(home, 'store.db'));
});
afterEach(() => {
  connection.database.close();
  rmSync(home, { recursive: true });
});

it('the migrations of the store are numbered from 1 without a gap', () => {
  const numbers = ownMigrations().map(({ name }) => Number(name.slice(0, 4)));
  expect(numbers.length).toBeGreaterThan(0);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
});

it('deliveries of a file from before 0004-settlements are kept', () => {
  const own = ownMigrations();
  const before = own.findIndex(({ name }) => name.endsWith('-settlements.sql'));
  applyMigrations(connection, own.slice(0, before), 1);
  connection.database.exec(`
    insert into sessions (id, channel, place, agent, created_at, updated_at) values ('s', 'web', 'hall', 'echo', 1, 1);
    insert into deliveries (id, session, channel, place, body, state, next_at, expires_at)
    values ('d', 1, 'web', 'hall', '{}', 'unknown', 1, 2);`);
  applyMigrations(connection, own, 2);
  const deliveries = listDeliveries(connection, { state: 'unknown', limit: 9 }).map(toDelivery);
  expect(deliveries).toMatchObject([{ id: 'd', sessionId: 's', state: 'unknown', settled: undefined }]);
});

it('messages of a file from before 0008-folded are found in any spelling', async () => {
  const own = ownMigrations();
  applyMigrations(
    connection,
    own.slice(
      0,
      own.findIndex(({ name }) => name.endsWith('-folded.sql')),
    ),
    1,
  );
  const said = JSON.stringify({
    type: 'user',
    messageId: 'm',
    text: 'İstanbul',
    sender: '',
    attachments: [],
  });
  connection.database.exec(`
    insert into sessions (id, channel, place, agent, title, created_at, updated_at, last_event)
    values ('s', 'web', 'hall', 'echo', 'Große Straße', 1, 1, 1), ('t', 'web', 'yard', 'echo', 'Taxes', 1, 1, 0);
    insert into events (session, number, at, body) values (1, 1, 1, '${said}');
    insert into said (rowid, text) values (1, 'İstanbul  '), (-1, 'Große Straße  '), (-2, 'Taxes  ');
    update indexed set seq = 1;`);
  const store = openSqlite(connection.file, { clock: () => 2 });
  try {
    const found = async (search: string): Promise<string[]> =>
      (await store.sessions.list({ limit: 9, search })).map(({ id }) => id);
    expect(await found('istanbul')).toEqual(['s']);
    expect(await found('strasse')).toEqual(['s']);
    expect(await found('taxes')).toEqual(['t']);
  } finally {
    await store.close();
  }
});

it('a command of a file from before 0007-one-name keeps its source', async () => {
  const own = ownMigrations();
  applyMigrations(
    connection,
    own.slice(
      0,
      own.findIndex(({ name }) => name.endsWith('-one-name.sql')),
    ),
    1,
  );
  connection.database.exec(`
    insert into sessions (id, channel, place, agent, created_at, updated_at) values ('s', 'web', 'hall', 'echo', 1, 1);
    insert into commands (source, session, reply) values ('old', 1, 'answered');`);
  const store = openSqlite(connection.file, { clock: () => 2 });
  try {
    const order = { kind: 'nothing' } as const;
    const answer = () => ({ reply: 'new', deliveries: [] });
    const again = { source: 'old', sessionId: 's', said: '/help', order, answer };
    // Nobody knows what it said.
    expect(await store.commands.obey(again)).toMatchObject({ reply: 'answered', duplicate: true });
    const message = { source: 'old', sessionId: 's', text: 'hi', attachments: [], sender: 'ada' };
    await expect(store.inbox.admit(message)).rejects.toMatchObject({ code: 'conflict' });
  } finally {
    await store.close();
  }
});
