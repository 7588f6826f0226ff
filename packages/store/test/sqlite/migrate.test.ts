import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Connection, connect, rows } from '../../src/drivers/sqlite/connection.ts';
import { migrate, ownMigrations } from '../../src/drivers/sqlite/migrate.ts';
import { openSqlite } from '../../src/drivers/sqlite/open.ts';
import { toDelivery } from '../../src/drivers/sqlite/records/delivery.ts';
import { listDeliveries } from '../../src/drivers/sqlite/statements/deliveries/list.ts';
import { directory } from '../files.ts';

let home: string;
let connection: Connection;

beforeEach(() => {
  home = directory();
  connection = connect(join(home, 'store.db'));
});
afterEach(() => {
  connection.database.close();
  rmSync(home, { recursive: true });
});

const FIRST = { name: '0001-first.sql', sql: 'create table a (x); insert into a values (1);' };
const SECOND = { name: '0002-second.sql', sql: 'create table b (x); insert into a values (2);' };

function applied(): string[] {
  return rows<{ name: string }>(connection, 'select name from migrations order by number').map(
    ({ name }) => name,
  );
}

function valuesOfA(): number[] {
  return rows<{ x: number }>(connection, 'select x from a').map(({ x }) => x);
}

it('applies each migration once, in order', () => {
  migrate(connection, [FIRST], 1);
  migrate(connection, [FIRST, SECOND], 2);
  migrate(connection, [FIRST, SECOND], 3);
  expect(applied()).toEqual(['0001-first.sql', '0002-second.sql']);
  expect(valuesOfA()).toEqual([1, 2]);
});

it('leaves nothing of a migration that was interrupted, and completes it the next time', () => {
  const broken = { ...SECOND, sql: `${SECOND.sql} insert into missing values (1);` };
  expect(() => migrate(connection, [FIRST, broken], 1)).toThrow('missing');
  expect(applied()).toEqual(['0001-first.sql']);
  expect(valuesOfA()).toEqual([1]);
  migrate(connection, [FIRST, SECOND], 2);
  expect(valuesOfA()).toEqual([1, 2]);
});

it('does not repeat what another connection has done meanwhile', () => {
  const other = connect(connection.file);
  migrate(other, [FIRST, SECOND], 1);
  other.database.close();
  migrate(connection, [FIRST, SECOND], 1);
  expect(valuesOfA()).toEqual([1, 2]);
});

it('refuses a database that is ahead', () => {
  migrate(connection, [FIRST, SECOND], 1);
  expect(() => migrate(connection, [FIRST], 1)).toThrow('newer version');
});

it('finds its own migrations numbered from 1 without a gap', () => {
  const numbers = ownMigrations().map(({ name }) => Number(name.slice(0, 4)));
  expect(numbers.length).toBeGreaterThan(0);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
});

it('keeps the deliveries of a file that was written before persons could settle them', () => {
  const own = ownMigrations();
  const before = own.findIndex(({ name }) => name.endsWith('-settlements.sql'));
  migrate(connection, own.slice(0, before), 1);
  connection.database.exec(`
    insert into sessions (id, channel, place, agent, created_at, updated_at) values ('s', 'web', 'hall', 'echo', 1, 1);
    insert into deliveries (id, session, channel, place, body, state, next_at, expires_at)
    values ('d', 1, 'web', 'hall', '{}', 'unknown', 1, 2);`);
  migrate(connection, own, 2);
  const deliveries = listDeliveries(connection, { state: 'unknown', limit: 9 }).map(toDelivery);
  expect(deliveries).toMatchObject([{ id: 'd', sessionId: 's', state: 'unknown', settled: undefined }]);
});

it('lets words be found however they are written that were said before they were folded', async () => {
  const own = ownMigrations();
  migrate(
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

it('lets a command of a file from before commands and messages shared their names keep its own', async () => {
  const own = ownMigrations();
  migrate(
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
