import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@plugboard/testkit';
import { expect, it, vi } from 'vitest';
import { LostClaimError } from '../../src/contract/errors.ts';
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
import { openNodes, useServer } from './server.ts';

const its = useServer({ durable: false });
const nobody = { notice: () => undefined };

it('nodes that start at once make the tables once, and agree on the age of the store', async () => {
  const url = await its.server.createDatabase();
  const stores = await Promise.all(Array.from({ length: 4 }, () => its.open(url)));
  expect(new Set(stores.map(({ createdAt }) => createdAt)).size).toBe(1);
});

it('two nodes that claim at once never get the same session', async () => {
  const { north, south } = await openNodes(its);
  for (let n = 0; n < 40; n += 1) await say(north, await north.sessions.open(place(`p${n}`)), 'hello');
  const claims = [];
  for (let left = 40; left > 0; ) {
    const found = await Promise.all([
      north.turns.claim({ ...HOLDER, node: 'north', limit: 3 }),
      south.turns.claim({ ...HOLDER, node: 'south', limit: 3 }),
    ]);
    claims.push(...found.flat());
    left -= found.flat().length;
  }
  expect(new Set(claims.map(({ session }) => session.id)).size).toBe(40);
  expect(claims).toHaveLength(40);
});

it('two nodes that open a place at once get one session, and one of them has begun it', async () => {
  const { north, south } = await openNodes(its);
  const opened = await Promise.all(
    [north, south, north, south].map((node) => node.sessions.open(place('hall'))),
  );
  expect(new Set(opened.map(({ id }) => id)).size).toBe(1);
  expect(opened.filter(({ begun }) => begun)).toHaveLength(1);
});

it('a message that two nodes admit at once is admitted once', async () => {
  const { north, south } = await openNodes(its);
  const session = await north.sessions.open(place('hall'));
  const rounds = Array.from({ length: 20 }, (_, n) => `source ${n}`);
  for (const source of rounds) {
    const admitted = await Promise.all([north, south].map((node) => say(node, session, source, source)));
    expect(admitted.map(({ duplicate }) => duplicate).sort()).toEqual([false, true]);
  }
  expect(await transcript(north, session.id)).toEqual(rounds.map((source, n) => `${n + 1} user: ${source}`));
  expect(await north.sessions.get(session.id)).toMatchObject({ waiting: 20, lastEvent: 20 });
});

it('messages that two nodes admit to one session at once are numbered without a gap', async () => {
  const { url, north, south } = await openNodes(its);
  const session = await north.sessions.open(place('hall'));
  const other = await its.connect(url);
  await other.query('begin');
  await other.query('select 1 from sessions for no key update');
  const admitting = [north, south].map((node, n) => say(node, session, `text ${n}`));
  await until(async () => (await waitingFor(other)) === 2, 'both wait for the row');
  await other.query('commit');
  const admitted = await Promise.all(admitting);
  expect(admitted.map(({ number }) => number).sort()).toEqual([1, 2]);
  const claim = await claimOne(north);
  expect(claim.message?.id).toBe(admitted.find(({ number }) => number === 1)?.message.id);
  expect(claim.session.waiting).toBe(1);
});

it('a command that two nodes obey at once is carried out once', async () => {
  const { north, south } = await openNodes(its);
  const session = await north.sessions.open(place('hall'));
  const command = {
    source: 'c',
    sessionId: session.id,
    said: '/new',
    order: { kind: 'renew', agent: 'other' } as const,
    answer: () => ({ reply: 'done', deliveries: [delivery('done')] }),
  };
  const obeyed = await Promise.all([north, south, north].map((node) => node.commands.obey(command)));
  expect(obeyed.map(({ duplicate }) => duplicate).sort()).toEqual([false, true, true]);
  expect(new Set(obeyed.map(({ session: { id } }) => id)).size).toBe(1);
  expect(await north.outbox.list({ limit: 9 })).toHaveLength(1);
});

it.each([
  ['a plain record', {}],
  ['a record that takes messages', { takeWaiting: true }],
])('%s of a fenced node is refused and writes nothing', async (_what, more) => {
  const { north, south } = await openNodes(its);
  const old = await claimed(north);
  await say(south, old.session, 'next');
  await south.turns.recover({ ...nobody, node: HOLDER.node });
  const next = await claimOne(south, 'south');
  const before = await transcript(south, old.session.id);
  const changes = { ...more, events: [message('ghost')], deliveries: [delivery('ghost')] };
  await expect(north.turns.record(old, changes)).rejects.toThrow(LostClaimError);
  expect(await transcript(south, old.session.id)).toEqual(before);
  expect(await south.outbox.list({ limit: 9 })).toEqual([]);
  await south.turns.record(next, { events: [message('alive')] });
});

it.each([
  ['a plain record', {}],
  ['a record that takes messages', { takeWaiting: true }],
])('%s whose lease is lost while it waits for the row writes nothing', async (_what, more) => {
  const { url, north } = await openNodes(its);
  const claim = await claimed(north);
  const other = await its.connect(url);
  await other.query('begin');
  await other.query('update sessions set fence = fence + 1');
  const recorded = north.turns.record(claim, { ...more, events: [message('late')], end: success('late') });
  const refused = expect(recorded).rejects.toThrow(LostClaimError);
  await until(async () => (await waitingFor(other)) > 0, 'the record waits for the row');
  await other.query('commit');
  await refused;
  expect(await transcript(north, claim.session.id)).toEqual(['1 user: hello']);
  expect(await north.turns.get(claim.turn.id)).toMatchObject({ state: 'running' });
});

it('a message that comes in while another node claims the session is not lost', async () => {
  const { url, north } = await openNodes(its);
  const session = await north.sessions.open(place('hall'));
  await say(north, session, 'one');
  const other = await its.connect(url);
  await other.query('begin');
  await other.query('select 1 from sessions for no key update');
  const later = say(north, session, 'two');
  await until(async () => (await waitingFor(other)) > 0, 'the message waits for the row');
  expect(await north.turns.claim(HOLDER)).toEqual([]);
  await other.query('commit');
  expect(await later).toMatchObject({ ahead: 1, number: 2 });
  const claim = await claimOne(north);
  expect(claim).toMatchObject({ message: { text: 'one' }, session: { waiting: 1 } });
});

async function waitingFor(client: { query(sql: string): Promise<{ rows: unknown[] }> }): Promise<number> {
  const sql =
    "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
  return (await client.query(sql)).rows.length;
}

it('a node whose clock is an hour ahead neither ends leases early nor dates events', async () => {
  const { north, south } = await openNodes(its);
  const claim = await claimed(north);
  const { startedAt } = claim.turn;
  vi.useFakeTimers({ toFake: ['Date'], now: startedAt + 3_600_000 });
  try {
    expect(await south.turns.recover(nobody)).toEqual([]);
    await say(south, claim.session, 'more');
    await south.turns.record(claim, { events: [message('hi')] });
    const events = await south.log.read(claim.session.id, { after: 0, limit: 9 });
    for (const { at } of events) expect(Math.abs(at - startedAt)).toBeLessThan(60_000);
    expect(await south.turns.claimOwn(claim.session.id, { node: 'south', leaseMs: 1 })).toBeUndefined();
  } finally {
    vi.useRealTimers();
  }
});

it('a lease ends by the clock of the server', async () => {
  const { north, south } = await openNodes(its);
  await say(north, await north.sessions.open(place('hall')), 'hello');
  await north.turns.claim({ node: 'north', leaseMs: 200, limit: 1 });
  expect(await south.turns.recover(nobody)).toEqual([]);
  await sleep(250);
  await south.turns.recover(nobody);
  expect(await claimOne(south, 'south')).toMatchObject({ message: { text: 'hello' }, fence: 2 });
});

it('a search finds the same without the trigram index', async () => {
  const { url, north } = await openNodes(its);
  await say(north, await north.sessions.open(place('hall')), 'The Plugboard is wired');
  const other = await its.connect(url);
  await other.query('drop extension pg_trgm cascade');
  expect(await north.sessions.list({ limit: 9, search: 'gBOAR' })).toHaveLength(1);
  expect(await north.sessions.list({ limit: 9, search: 'absent' })).toEqual([]);
});

it('a search that is aborted rejects with its reason, and the store goes on', async () => {
  const { north } = await openNodes(its);
  await say(north, await north.sessions.open(place('hall')), 'The Plugboard is wired');
  const reason = new Error('no longer wanted');
  const aborted = { limit: 9, search: 'wired', signal: AbortSignal.abort(reason) };
  await expect(north.sessions.list(aborted)).rejects.toBe(reason);
  expect(await north.sessions.list({ limit: 9, search: 'wired' })).toHaveLength(1);
});

it('a database of a newer version and one of another program are refused and left alone', async () => {
  const [newer, foreign] = [await its.server.createDatabase(), await its.server.createDatabase()];
  await (await its.open(newer)).close();
  await (await its.connect(newer)).query("insert into plugboard_migrations values (9999, 'later', 1)");
  await expect(its.open(newer)).rejects.toMatchObject({
    code: 'newer',
    message: expect.stringMatching(/\/test\d+ was written by a newer version/),
  });
  const other = await its.connect(foreign);
  await other.query('create table sessions (id int)');
  await expect(its.open(foreign)).rejects.toMatchObject({ code: 'foreign' });
  expect(
    (await other.query("select tablename from pg_tables where schemaname = 'public'")).rows,
  ).toHaveLength(1);
});

it('backup refuses and names pg_dump', async () => {
  const { north } = await openNodes(its);
  await expect(north.backup('copy.db')).rejects.toThrow(/pg_dump/);
});

it('verify rejects with corrupt when a queue has another length than its session says', async () => {
  const { url, north } = await openNodes(its);
  await say(north, await north.sessions.open(place('hall')), 'hello');
  await north.verify();
  await (await its.connect(url)).query('update sessions set waiting = 7');
  await expect(north.verify()).rejects.toMatchObject({ code: 'corrupt' });
});

it('of two nodes that make a token of one name at once, one is refused', async () => {
  const { north, south } = await openNodes(its);
  for (let n = 0; n < 20; n += 1) {
    const made = await Promise.allSettled(
      [north, south].map((node, at) =>
        node.tokens.add({
          ...{ id: `${n} ${at}`, hash: `${n} ${at}`, name: `ci ${n}`, scopes: [], isNameUnique: true },
        }),
      ),
    );
    expect(made.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  }
  expect(await north.tokens.list()).toHaveLength(20);
});
