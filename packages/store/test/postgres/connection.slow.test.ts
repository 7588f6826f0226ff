import { setTimeout as sleep } from 'node:timers/promises';
import { startTcpProxy, type TcpProxy } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/contract/store.ts';
import { listRows, runStatement } from '../../src/drivers/postgres/connection.ts';
import { createPool } from '../../src/drivers/postgres/pool.ts';
import { type Server, writeTo } from '../../src/drivers/postgres/transaction.ts';
import {
  claimed,
  claimOne,
  delivery,
  HOLDER,
  message,
  place,
  say,
  success,
  transcript,
} from '../contract/setup.ts';
import { useServer } from './server.ts';

const its = useServer();

/** A store behind a proxy, with one connection, so that the next call uses the one that is cut. */
async function openBehindProxy(): Promise<{ store: Store; proxy: TcpProxy }> {
  const url = new URL(await its.server.createDatabase());
  const proxy = await startTcpProxy(its.server.port);
  url.port = `${proxy.port}`;
  return { store: await its.open(url.href, { connections: 1 }), proxy };
}

describe.each(['before', 'after'] as const)('a connection that is cut %s the server has answered', (when) => {
  it(`admit stores the message once when its connection is cut ${when} the answer`, async () => {
    const { store, proxy } = await openBehindProxy();
    const session = await store.sessions.open(place('hall'));
    proxy.cutNext(/commit/, when);
    const admission = await say(store, session, 'hello');
    expect(admission).toMatchObject({ duplicate: false, number: 1, ahead: 0 });
    expect(proxy.cuts).toBe(1);
    expect(await transcript(store, session.id)).toEqual(['1 user: hello']);
    expect(await store.sessions.get(session.id)).toMatchObject({ waiting: 1 });
    await proxy[Symbol.asyncDispose]();
  });

  it(`claim gets the session when its connection is cut ${when} the answer`, async () => {
    const { store, proxy } = await openBehindProxy();
    await say(store, await store.sessions.open(place('hall')), 'hello');
    proxy.cutNext(/commit/, when);
    const [claim] = await store.turns.claim(HOLDER);
    expect(claim).toMatchObject({ fence: 1, message: { text: 'hello' } });
    expect(proxy.cuts).toBe(1);
    if (claim !== undefined) await store.turns.record(claim, { end: success('') });
    await proxy[Symbol.asyncDispose]();
  });

  it(`record writes its changes once when its connection is cut ${when} the answer`, async () => {
    const { store, proxy } = await openBehindProxy();
    const claim = await claimed(store);
    proxy.cutNext(/cut here/, when);
    const middle = await store.turns.record(claim, {
      events: [message('cut here')],
      deliveries: [delivery('one')],
    });
    expect(middle).toMatchObject({ first: 2 });
    proxy.cutNext(/cut here/, when);
    const end = await store.turns.record(claim, { events: [message('cut here')], end: success('bye') });
    expect(end).toMatchObject({ first: 3 });
    expect(proxy.cuts).toBe(2);
    expect(await transcript(store, claim.session.id)).toEqual([
      '1 user: hello',
      '2 message: cut here',
      '3 message: cut here',
      '4 end: bye',
    ]);
    expect(await store.outbox.list({ limit: 9 })).toHaveLength(1);
    await proxy[Symbol.asyncDispose]();
  });

  it(`a record that takes messages is written once when its connection is cut ${when} the answer`, async () => {
    const { store, proxy } = await openBehindProxy();
    const claim = await claimed(store);
    await say(store, claim.session, 'more');
    proxy.cutNext(/commit/, when);
    const { taken, first } = await store.turns.record(claim, { takeWaiting: true, events: [message('hi')] });
    expect([taken.map(({ text }) => text), first]).toEqual([['more'], 3]);
    expect(proxy.cuts).toBe(1);
    expect(await transcript(store, claim.session.id)).toHaveLength(3);
    await proxy[Symbol.asyncDispose]();
  });

  it(`obey carries a command out once when its connection is cut ${when} the answer`, async () => {
    const { store, proxy } = await openBehindProxy();
    const session = await store.sessions.open(place('hall'));
    proxy.cutNext(/commit/, when);
    const obeyed = await store.commands.obey({
      source: 'c',
      sessionId: session.id,
      said: '/new',
      order: { kind: 'renew', agent: 'other' },
      answer: () => ({ reply: 'done', deliveries: [delivery('done')] }),
    });
    expect(obeyed).toMatchObject({ duplicate: false, session: { agent: 'other' } });
    expect(proxy.cuts).toBe(1);
    expect(await store.sessions.list({ limit: 9 })).toHaveLength(2);
    expect(await store.outbox.list({ limit: 9 })).toHaveLength(1);
    await proxy[Symbol.asyncDispose]();
  });
});

it('the end of a turn is known to its holder although another node has the session by then', async () => {
  const { store, proxy } = await openBehindProxy();
  const direct = await its.open(`postgres://postgres@127.0.0.1:${its.server.port}/${await lastDatabase()}`);
  const claim = await claimed(store);
  await say(store, claim.session, 'next');
  proxy.cutNext(/cut here/, 'after');
  const ended = store.turns.record(claim, { end: success('cut here') });
  let next = await direct.turns.claim({ ...HOLDER, node: 'south' });
  while (next.length === 0) next = await direct.turns.claim({ ...HOLDER, node: 'south' });
  if (next[0] !== undefined) await direct.turns.record(next[0], { events: [message('mine')] });
  expect(await ended).toMatchObject({ first: 3 });
  await proxy[Symbol.asyncDispose]();
});

async function lastDatabase(): Promise<string> {
  const client = await its.connect(its.server.url);
  const { rows } = await client.query<{ name: string }>(
    "select datname as name from pg_database where datname like 'test%' order by oid desc limit 1",
  );
  return rows[0]?.name ?? '';
}

it('a call without a server rejects with unavailable after its patience, and names no password', async () => {
  const url = 'postgres://plug:secret@127.0.0.1:1/plugboard';
  const opened = its.open(url, { patienceMs: 100 });
  await expect(opened).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/^The database 127\.0\.0\.1:1\/plugboard does not answer: .*ECONNREFUSED/),
  });
  await expect(opened).rejects.not.toThrow(/secret/);
});

it.each(['kill', 'immediate', 'fast'] as const)(
  'no acknowledged message is lost, and none is stored twice, when the server ends by %s under load',
  async (how) => {
    const store = await its.open(await its.server.createDatabase());
    const sessions = await Promise.all(['a', 'b', 'c', 'd'].map((name) => store.sessions.open(place(name))));
    let isOver = false;
    const said = sessions.map(async (session) => {
      const texts: string[] = [];
      while (!isOver) {
        const text = `text ${texts.length}`;
        await say(store, session, text);
        texts.push(text);
      }
      return { session, texts };
    });
    await sleep(300);
    await its.server.stop(how);
    await sleep(300);
    await its.server.start();
    await sleep(300);
    isOver = true;
    for (const { session, texts } of await Promise.all(said)) {
      const wanted = texts.map((text, index) => `${index + 1} user: ${text}`);
      expect((await transcript(store, session.id)).slice(0, wanted.length)).toEqual(wanted.slice(0, 1_000));
      expect(await store.sessions.get(session.id)).toMatchObject({ waiting: texts.length });
    }
    await store.verify();
  },
);

it('a turn goes on over a restart of the server', async () => {
  const store = await its.open(await its.server.createDatabase());
  const claim = await claimed(store);
  await store.turns.record(claim, { events: [message('before')] });
  const stopped = its.server.stop('kill').then(() => its.server.start());
  await store.turns.record(claim, { events: [message('meanwhile')] });
  await stopped;
  await store.turns.record(claim, { end: success('after') });
  expect(await transcript(store, claim.session.id)).toEqual([
    '1 user: hello',
    '2 message: before',
    '3 message: meanwhile',
    '4 end: after',
  ]);
  await say(store, claim.session, 'again');
  expect((await claimOne(store)).fence).toBe(2);
});

describe('a transaction that the server undoes', () => {
  async function connectServer(): Promise<Server> {
    const url = await its.server.createDatabase();
    const pool = await createPool(url, { connections: 2, statementMs: 5_000 });
    return {
      pool,
      place: 'test',
      clock: undefined,
      time: () => 1,
      patienceMs: 5_000,
      ended: new AbortController().signal,
    };
  }

  it('a serialization failure is retried', async () => {
    const server = await connectServer();
    let attempts = 0;
    const result = await writeTo(server, async (transaction) => {
      attempts += 1;
      const raise = "do $$ begin raise exception 'again' using errcode = '40001'; end $$";
      if (attempts === 1) await runStatement(transaction, raise);
      return attempts;
    });
    expect(result).toBe(2);
    await server.pool.end();
  });

  it('of two transactions in a deadlock, the one that was undone is retried', async () => {
    const server = await connectServer();
    await server.pool.query(
      'create table rows (id int primary key, value int); insert into rows values (1, 0), (2, 0)',
    );
    let attempts = 0;
    const add = (order: readonly number[]) =>
      writeTo(server, async (transaction) => {
        attempts += 1;
        for (const id of order) {
          await runStatement(transaction, 'update rows set value = value + 1 where id = :id', { id });
          if (attempts <= 2) await sleep(200);
        }
      });
    await Promise.all([add([1, 2]), add([2, 1])]);
    expect(attempts).toBe(3);
    const values = await writeTo(server, (transaction) =>
      listRows<{ value: number }>(transaction, 'select value from rows order by id'),
    );
    expect(values).toEqual([{ value: 2 }, { value: 2 }]);
    await server.pool.end();
  });

  it('an error of the caller rolls back, and leaves the connection usable', async () => {
    const server = await connectServer();
    await server.pool.query('create table rows (id int)');
    const failing = writeTo(server, async (transaction) => {
      await runStatement(transaction, 'insert into rows values (1)');
      throw new Error('no words');
    });
    await expect(failing).rejects.toThrow('no words');
    expect((await server.pool.query('select id from rows')).rows).toEqual([]);
    expect(server.pool.totalCount).toBeLessThanOrEqual(2);
    await server.pool.end();
  });
});
