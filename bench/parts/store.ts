import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Session, Store } from '@plugboard/store';
import { openSqlite } from '@plugboard/store/sqlite';
import {
  copyLargeStore,
  createVocabulary,
  LARGE_STORE_BEGAN,
} from '../../packages/store/test/large/large-store.ts';
import type { Bar, Part, Report } from '../method/report.ts';
import { interleave, ratioOf, valuesOf } from '../method/rounds.ts';
import { median, quantile } from '../method/statistics.ts';

const SMALL = 1_000;
const RATIO = 1.5;
const SEARCH_MS = 50;

/** A store and what its calls are tried with. */
interface Subject {
  readonly store: Store;
  readonly session: Session;
  readonly tick: () => number;
}

/** Every call that a turn, a reader or a list makes; each must take as long in a large store as in a small one. */
const CALLS: Readonly<Record<string, (subject: Subject) => Promise<unknown>>> = {
  'sessions.open': ({ store, session }) =>
    store.sessions.open({ channel: session.channel, place: session.place, agent: 'echo' }),
  'sessions.get': ({ store, session }) => store.sessions.get(session.id),
  'sessions.list': ({ store }) => store.sessions.list({ limit: 10 }),
  'sessions.list, a channel': ({ store }) => store.sessions.list({ limit: 10, channel: 'web' }),
  'inbox.admit': ({ store, session, tick }) => admit(store, session.id, tick()),
  'turns.claim, append, complete': runTurn,
  'turns.list': ({ store, session }) => store.turns.list(session.id, { limit: 50 }),
  'turns.agents': ({ store, session }) => store.turns.agents(session.id),
  'turns.backlog': ({ store }) => store.turns.backlog(),
  'turns.recover': ({ store }) => store.turns.recover({ notice: () => undefined }),
  'log.read': ({ store, session }) => store.log.read(session.id, { after: 0, limit: 100 }),
  'outbox.list': ({ store }) => store.outbox.list({ limit: 50 }),
  'outbox.take': ({ store }) => store.outbox.take({ channel: 'web', node: 'bench', limit: 10 }),
  'errands.list': ({ store }) => store.errands.list(),
  'tokens.list': ({ store }) => store.tokens.list(),
  'sessions.begin and forget': beginAndForget,
};

function admit(store: Store, sessionId: string, number: number): Promise<unknown> {
  return store.inbox.admit({
    source: `bench:${number}`,
    sessionId,
    text: 'good morning',
    attachments: [],
    sender: 'ada',
  });
}

async function runTurn({ store, session, tick }: Subject): Promise<void> {
  await admit(store, session.id, tick());
  const [claim] = await store.turns.claim({ node: 'bench', leaseMs: 60_000, limit: 1 });
  if (claim === undefined) throw new Error('No session could be claimed.');
  await store.turns.record(claim, {
    given: claim.message === undefined ? [] : [claim.message.id],
    takeWaiting: true,
  });
  await store.turns.record(claim, { events: [{ type: 'message', text: 'good morning to you', media: [] }] });
  await store.turns.record(claim, {
    events: [],
    end: { type: 'end', outcome: 'success', text: '' },
    deliveries: [],
  });
}

async function beginAndForget({ store, tick }: Subject): Promise<void> {
  await store.sessions.open({ channel: 'bench', place: `place ${tick()}`, agent: 'echo' });
  await store.sessions.forget({ idleMs: 10 * 365 * 86_400_000, limit: 10 });
}

/** Searches as people type them: one to five words of any frequency, single letters, and words that nobody has said. */
function drawSearches(count: number): string[] {
  const { draw, random } = createVocabulary();
  const letters = 'etaoinsh';
  return Array.from({ length: count }, (_, index) => {
    if (index % 10 === 0) return letters[index % letters.length] ?? 'e';
    if (index % 10 === 1) return `nobody-said-${index}`;
    return Array.from({ length: 1 + Math.floor(random() * 5) }, draw).join(' ');
  });
}

async function openLarge(messages: number, folder: string): Promise<Subject> {
  const file = join(folder, `${messages}.db`);
  await copyLargeStore(messages, file);
  let now = LARGE_STORE_BEGAN + messages * 1_000;
  let number = 0;
  const store = openSqlite(file, { clock: () => ++now });
  const session = await store.sessions.get('s5');
  if (session === undefined) throw new Error('The large store has no session s5.');
  return { store, session, tick: () => ++number };
}

/** The time of every call of the store with few messages and with a million behind it. */
export const storeCalls: Part = {
  name: 'store',
  async run(quick): Promise<Report> {
    const large = quick ? 100_000 : 1_000_000;
    const folder = mkdtempSync(join(tmpdir(), 'plugboard-bench-'));
    const subjects = { small: await openLarge(SMALL, folder), large: await openLarge(large, folder) };
    try {
      const calls = await measureCalls(subjects, quick ? 50 : 200);
      const search = await measureSearches(subjects.large.store, quick ? 100 : 500, large);
      return { tables: [...calls.tables, ...search.tables], bars: [...calls.bars, ...search.bars] };
    } finally {
      await Promise.all(Object.values(subjects).map(({ store }) => store.close()));
      rmSync(folder, { recursive: true });
    }
  },
};

async function measureCalls(subjects: Record<'small' | 'large', Subject>, rounds: number): Promise<Report> {
  const rows: (string | number)[][] = [];
  const bars: Bar[] = [];
  for (const [name, call] of Object.entries(CALLS)) {
    const timed = (subject: Subject) => async () => {
      const began = performance.now();
      await call(subject);
      return { us: (performance.now() - began) * 1_000 };
    };
    const samples = await interleave(
      { small: timed(subjects.small), large: timed(subjects.large) },
      { rounds, warmUp: 20 },
    );
    const ratio = ratioOf(samples, 'large', 'small', 'us');
    rows.push([
      name,
      median(valuesOf(samples, 'small', 'us')),
      median(valuesOf(samples, 'large', 'us')),
      ratio,
    ]);
    bars.push({ name: `store, ${name}: large / small`, measured: ratio, atMost: RATIO });
  }
  return {
    tables: [{ title: 'Calls of the store', head: ['call', 'small us', 'large us', 'ratio'], rows }],
    bars,
  };
}

async function measureSearches(store: Store, count: number, large: number): Promise<Report> {
  const took: number[] = [];
  for (const search of drawSearches(count + 20)) {
    const began = performance.now();
    await store.sessions.list({ limit: 50, search });
    took.push(performance.now() - began);
  }
  const warm = took.slice(20);
  const p99 = quantile(warm, 0.99);
  const title = `Searches in ${large} messages, first page of 50`;
  const rows = [[count, median(warm), quantile(warm, 0.9), p99, Math.max(...warm)]];
  return {
    tables: [{ title, head: ['searches', 'median ms', 'p90 ms', 'p99 ms', 'most ms'], rows }],
    bars: [{ name: 'store, search p99 in ms', measured: p99, atMost: SEARCH_MS }],
  };
}
