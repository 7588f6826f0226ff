import { setTimeout as sleep } from 'node:timers/promises';
import type { Claim, Session, Store } from '@plugboard/store';
import { openPostgres } from '@plugboard/store/postgres';
import type { PostgresServer } from '@plugboard/testkit';
import { admit, openSession } from '../gateway/store-nodes.ts';
import { median } from '../method/statistics.ts';

/** Cost of one call: `busyMs` of a server that is never idle, and the time until its answer when nothing else runs. */
export interface Cost {
  readonly busyMs: number;
  readonly latencyMs: number;
}

/** What the calls of a store in Postgres cost on this machine, its client included. */
export interface Costs {
  readonly admit: Cost;
  /** One call of `claim` that finds nothing, and each session that it finds. */
  readonly claim: Cost;
  readonly claimed: Cost;
  readonly record: Cost;
  /** Each turn that `recover` ends. */
  readonly recovered: Cost;
  /** A reader that comes back: its session, and a page of ten events. */
  readonly resume: Cost;
}

const LEASE = { node: 'costs', leaseMs: 600_000 };
const END = { type: 'end', outcome: 'success', text: '' } as const;
const AT_ONCE = 16;

export async function measureCosts(server: PostgresServer, calls: number): Promise<Costs> {
  const store = await openPostgres(await server.createDatabase(), { connections: AT_ONCE });
  const sessions: Session[] = [];
  for (let n = 0; n < calls; n += 1) sessions.push(await openSession(store, `${n}`));
  const each = <T>(items: readonly T[], call: (item: T) => Promise<unknown>) => costOf(items, call);
  try {
    await each(sessions.slice(0, 50), (session) => admit(store, session));
    await drain(store);
    const admitting = await each(sessions, (session) => admit(store, session));
    const many = await timeOf(async () => claimAll(store));
    const claims = many.result;
    const recording = await each(claims, (claim) =>
      store.turns.record(claim, { events: [{ type: 'message', text: 'good morning', media: [] }] }),
    );
    const recovering = await timeOf(() => store.turns.recover({ node: LEASE.node, notice: () => undefined }));
    await drain(store);
    const empty = await each(sessions, () => store.turns.claim({ ...LEASE, limit: 1 }));
    const resuming = await each(sessions, async ({ id }) => {
      await store.sessions.get(id);
      await store.log.read(id, { after: 0, limit: 10 });
    });
    const perClaim = many.ms / Math.max(1, claims.length);
    const perTurn = recovering.ms / Math.max(1, recovering.result.length);
    return {
      admit: admitting,
      claim: empty,
      claimed: { busyMs: perClaim, latencyMs: perClaim },
      record: recording,
      recovered: { busyMs: perTurn, latencyMs: perTurn },
      resume: resuming,
    };
  } finally {
    await store.close();
  }
}

async function claimAll(store: Store): Promise<Claim[]> {
  const all: Claim[] = [];
  for (;;) {
    const claims = await store.turns.claim({ ...LEASE, limit: 64 });
    if (claims.length === 0) return all;
    all.push(...claims);
  }
}

async function drain(store: Store): Promise<void> {
  for (const claim of await claimAll(store)) await store.turns.record(claim, { end: END });
}

async function timeOf<T>(work: () => Promise<T>): Promise<{ ms: number; result: T }> {
  const began = performance.now();
  const result = await work();
  return { ms: performance.now() - began, result };
}

/** Half of the items one after the other, for the latency, and half of them 16 at a time, for the rate. */
async function costOf<T>(items: readonly T[], call: (item: T) => Promise<unknown>): Promise<Cost> {
  const half = items.length >> 1;
  const took: number[] = [];
  for (const item of items.slice(0, half)) took.push((await timeOf(() => call(item))).ms);
  await sleep(50);
  const rest = items.slice(half);
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < rest.length) {
      const item = rest[next] as T;
      next += 1;
      await call(item);
    }
  };
  const { ms } = await timeOf(() => Promise.all(Array.from({ length: AT_ONCE }, work)));
  const latencyMs = median(took);
  // Calls that wait for each other in the client say nothing of the server.
  return { busyMs: Math.min(ms / rest.length, latencyMs), latencyMs };
}
