import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Claim, Session, Store } from '@plugboard/store';
import { openPostgres } from '@plugboard/store/postgres';
import { openSqlite } from '@plugboard/store/sqlite';
import { type PostgresServer, pg, startPostgres } from '@plugboard/testkit';
import { admit, openSession, rateOfNodes, readLine, startNode } from '../gateway/store-nodes.ts';
import type { Bar, Part, Report } from '../method/report.ts';
import { interleave, ratioOf, valuesOf } from '../method/rounds.ts';
import { median, quantile } from '../method/statistics.ts';

/** The store in Postgres: its rate beside a plain queue, a turn beside SQLite, how soon a dead node is replaced, and its growth. */
export const postgres: Part = {
  name: 'postgres',
  async run(quick): Promise<Report> {
    await using server = await startPostgres();
    const reports = [
      await measureRate(server, quick),
      await measureTurn(server, quick),
      await measureFailover(server, quick),
      await measureTwoNodes(server, quick),
      await measureGrowth(server, quick),
    ];
    return { tables: reports.flatMap(({ tables }) => tables), bars: reports.flatMap(({ bars }) => bars) };
  },
};

const LEASE = { node: 'bench', leaseMs: 60_000 };
const END = { type: 'end', outcome: 'success', text: '' } as const;

const SESSIONS = 40;
const PRODUCERS = 8;
const WORKERS = 8;

/** Messages that are admitted one by one by eight, claimed in the order of their session, and ended. */
async function measureRate(server: PostgresServer, quick: boolean): Promise<Report> {
  const messages = quick ? 400 : 4_000;
  const store = await openPostgres(await server.createDatabase(), { connections: 16 });
  const queue = new pg.Pool({ connectionString: await server.createDatabase(), max: 16 });
  await queue.query(`
    create table jobs (id bigint generated always as identity primary key, key text, body text, busy boolean not null default false);
    create index on jobs (key, id);
    create index on jobs (id) where not busy`);
  const sessions = await Promise.all(
    Array.from({ length: SESSIONS }, (_, index) => openSession(store, `${index}`)),
  );
  const samples = await interleave(
    {
      ours: async () => ({ rate: await rateOf(messages, () => runOurs(store, sessions, messages)) }),
      plain: async () => ({ rate: await rateOf(messages, () => runPlain(queue, messages)) }),
    },
    { rounds: quick ? 1 : 5, warmUp: 1 },
  );
  await store.close();
  await queue.end();
  const ratio = ratioOf(samples, 'ours', 'plain', 'rate');
  const rows = [
    ['admit + claim + record', median(valuesOf(samples, 'ours', 'rate'))],
    ['plain queue with SKIP LOCKED, in order of its keys', median(valuesOf(samples, 'plain', 'rate'))],
  ];
  return {
    tables: [{ title: `Messages through ${SESSIONS} sessions, 8 at a time`, head: ['', 'per second'], rows }],
    bars: [{ name: 'postgres: messages ÷ plain queue', measured: ratio, atLeast: 4 }],
  };
}

async function rateOf(count: number, work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return (count * 1_000) / (performance.now() - began);
}

async function runOurs(store: Store, sessions: readonly Session[], messages: number): Promise<void> {
  let sent = 0;
  let ended = 0;
  const produce = async (): Promise<void> => {
    while (sent < messages) {
      const session = sessions[sent % sessions.length];
      sent += 1;
      if (session !== undefined) await admit(store, session);
    }
  };
  const running = new Set<Promise<void>>();
  const finish = async (claim: Claim): Promise<void> => {
    await store.turns.record(claim, { events: [{ type: 'message', text: 'hi', media: [] }], end: END });
    ended += 1;
  };
  const consume = async (): Promise<void> => {
    while (ended + running.size < messages) {
      const claims = await store.turns.claim({ ...LEASE, limit: 64 });
      for (const claim of claims) {
        const one: Promise<void> = finish(claim).finally(() => running.delete(one));
        running.add(one);
      }
      if (claims.length === 0) await Promise.race([...running, sleep(1)]);
    }
    await Promise.all(running);
  };
  await Promise.all([...Array.from({ length: PRODUCERS }, produce), consume()]);
}

const CLAIM_JOB = `
  update jobs set busy = true where id = (
    select id from jobs as one where not busy
      and not exists (select 1 from jobs as older where older.key = one.key and older.id < one.id)
    order by id limit 1 for update skip locked)
  returning id`;

async function runPlain(queue: InstanceType<typeof pg.Pool>, messages: number): Promise<void> {
  let sent = 0;
  let ended = 0;
  const produce = async (): Promise<void> => {
    while (sent < messages) {
      const values = [`${sent % SESSIONS}`, 'good morning'];
      sent += 1;
      await queue.query({ name: 'add', text: 'insert into jobs (key, body) values ($1, $2)', values });
    }
  };
  const consume = async (): Promise<void> => {
    while (ended < messages) {
      const { rows } = await queue.query<{ id: string }>({ name: 'claim', text: CLAIM_JOB });
      const [job] = rows;
      if (job === undefined) {
        await sleep(1);
        continue;
      }
      await queue.query({ name: 'end', text: 'delete from jobs where id = $1', values: [job.id] });
      ended += 1;
    }
  };
  await Promise.all([
    ...Array.from({ length: PRODUCERS }, produce),
    ...Array.from({ length: WORKERS }, consume),
  ]);
}

/** The calls of one turn, one after the other, as a gateway makes them. */
async function runTurn(store: Store, session: Session): Promise<void> {
  await admit(store, session);
  const [claim] = await store.turns.claim({ ...LEASE, limit: 1 });
  if (claim === undefined) throw new Error('Nothing could be claimed.');
  await store.turns.record(claim, { given: claim.message === undefined ? [] : [claim.message.id] });
  await store.turns.record(claim, { events: [{ type: 'message', text: 'good morning', media: [] }] });
  await store.turns.record(claim, { end: END });
}

async function measureTurn(server: PostgresServer, quick: boolean): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-bench-'));
  const stores = {
    postgres: await openPostgres(await server.createDatabase()),
    sqlite: openSqlite(join(folder, 'bench.db'), { clock: Date.now, synchronous: 'full' }),
  };
  const timed = async (store: Store): Promise<() => Promise<{ ms: number }>> => {
    const session = await openSession(store, 'hall');
    return async () => {
      const began = performance.now();
      await runTurn(store, session);
      return { ms: performance.now() - began };
    };
  };
  try {
    const cases = { postgres: await timed(stores.postgres), sqlite: await timed(stores.sqlite) };
    const samples = await interleave(cases, { rounds: quick ? 30 : 300, warmUp: 20 });
    const rows = Object.keys(cases).map((name) => {
      const ms = valuesOf(samples, name, 'ms');
      return [name, median(ms), quantile(ms, 0.99)];
    });
    const measured = ratioOf(samples, 'postgres', 'sqlite', 'ms');
    return {
      tables: [{ title: 'The five calls of a turn, synced', head: ['', 'median ms', 'p99 ms'], rows }],
      bars: [{ name: 'postgres: a turn ÷ SQLite', measured, atMost: 1.5 }],
    };
  } finally {
    await Promise.all(Object.values(stores).map((store) => store.close()));
    rmSync(folder, { recursive: true });
  }
}

/** From `kill -9` of a node to the claim of its sessions by another. */
async function measureFailover(server: PostgresServer, quick: boolean): Promise<Report> {
  const url = await server.createDatabase();
  const store = await openPostgres(url, { node: { name: 'survivor', version: 'bench' } });
  const session = await openSession(store, 'hall');
  let claimed = Promise.withResolvers<number>();
  store.nodes?.attend({
    onNews() {},
    onNewsLost() {},
    onQuestion: async () => null,
    onChange() {},
    onAlive() {},
    async onDeath(node) {
      await store.turns.recover({ node, notice: () => undefined });
      const [claim] = await store.turns.claim({ ...LEASE, limit: 10 });
      claimed.resolve(performance.now());
      if (claim !== undefined) await store.turns.record(claim, { end: END });
    },
  });
  const took: number[] = [];
  const peers = (): number => store.nodes?.peers.length ?? 0;
  for (let round = 0; round < (quick ? 5 : 100); round += 1) {
    await admit(store, session);
    claimed = Promise.withResolvers();
    const node = startNode(url, `victim${round}`, 'hold');
    if ((await readLine(node)) !== '1') throw new Error('The node has claimed nothing.');
    while (peers() === 0) await sleep(5);
    // The watch of the new neighbour begins.
    await sleep(100);
    const began = performance.now();
    node.kill('SIGKILL');
    took.push((await claimed.promise) - began);
    while (peers() > 0) await sleep(5);
  }
  await store.close();
  const p99 = quantile(took, 0.99);
  const rows = [[took.length, median(took), p99, Math.max(...took)]];
  return {
    tables: [
      {
        title: 'From the kill of a node to the next turn of its session',
        head: ['kills', 'median ms', 'p99 ms', 'most ms'],
        rows,
      },
    ],
    bars: [{ name: 'postgres: failover p99 in ms', measured: p99, atMost: 50 }],
  };
}

/** Two nodes beside one, with turns that wait for something else: neither the server nor the processors are the limit. */
async function measureTwoNodes(server: PostgresServer, quick: boolean): Promise<Report> {
  const seconds = quick ? 2 : 10;
  const rates: number[] = [];
  for (const count of [1, 2]) rates.push(await rateOfNodes(server, count, seconds));
  const [one = Number.NaN, two = Number.NaN] = rates;
  return {
    tables: [
      {
        title: 'Turns of 50 ms, 8 at a time in each node',
        head: ['nodes', 'per second'],
        rows: [
          [1, one],
          [2, two],
        ],
      },
    ],
    bars: [{ name: 'postgres: two nodes ÷ one', measured: two / one, atLeast: 1.7 }],
  };
}

const FILL = `
  insert into sessions (id, channel, place, place_key, agent, created_at, updated_at, last_event)
  select 's' || n, 'web', 'p' || n, 'p' || n, 'echo', n, n, 10 from generate_series(1, $1::bigint) as n;`;
const FILL_EVENTS = `
  insert into events (session, number, at, type, body)
  select seq, number, number, 'message', '{"type":"message","text":"good morning to all of you","media":[]}'
  from sessions, generate_series(1, 10) as number`;

/** What a message costs with few sessions in the store and with very many. */
async function measureGrowth(server: PostgresServer, quick: boolean): Promise<Report> {
  const large = quick ? 20_000 : 1_000_000;
  const open = async (sessions: number) => {
    const url = await server.createDatabase();
    const store = await openPostgres(url);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(FILL, [sessions]);
    await client.query(FILL_EVENTS);
    await client.query('vacuum analyze');
    await client.end();
    return { store, session: await openSession(store, 'p500') };
  };
  const subjects = { small: await open(1_000), large: await open(large) };
  const calls: Readonly<Record<string, (store: Store, session: Session) => Promise<unknown>>> = {
    admit,
    'claim and end': async (store, session) => {
      await admit(store, session);
      for (const claim of await store.turns.claim({ ...LEASE, limit: 1 }))
        await store.turns.record(claim, { end: END });
    },
    resume: (store, { id }) => store.log.read(id, { after: 0, limit: 10 }),
  };
  const rows: (string | number)[][] = [];
  const bars: Bar[] = [];
  for (const [name, call] of Object.entries(calls)) {
    const timed = (size: keyof typeof subjects) => async () => {
      const { store, session } = subjects[size];
      const began = performance.now();
      await call(store, session);
      return { ms: performance.now() - began };
    };
    const samples = await interleave(
      { small: timed('small'), large: timed('large') },
      { rounds: quick ? 30 : 300, warmUp: 20 },
    );
    const measured = ratioOf(samples, 'large', 'small', 'ms');
    rows.push([
      name,
      median(valuesOf(samples, 'small', 'ms')),
      median(valuesOf(samples, 'large', 'ms')),
      measured,
    ]);
    bars.push({ name: `postgres, ${name}: ${large} sessions ÷ 1,000`, measured, atMost: 1.2 });
    for (const { store } of Object.values(subjects)) await drain(store);
  }
  await Promise.all(Object.values(subjects).map(({ store }) => store.close()));
  return {
    tables: [
      {
        title: `1,000 sessions and ${large}, of ten events each`,
        head: ['', 'small ms', 'large ms', 'ratio'],
        rows,
      },
    ],
    bars,
  };
}

async function drain(store: Store): Promise<void> {
  for (;;) {
    const claims = await store.turns.claim({ ...LEASE, limit: 100 });
    if (claims.length === 0) return;
    for (const claim of claims) await store.turns.record(claim, { end: END });
  }
}
