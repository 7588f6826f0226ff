import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientBase, Pool } from 'pg';
import { StoreError } from '../../contract/errors.ts';
import { type Connection, findRow, listRows, type Parameters, type Transaction } from './connection.ts';
import { kindOf, ServerFailure, sqlStateOf, storeProblem } from './failure.ts';
import { connectClient } from './pool.ts';

/** The database of a store, as one process sees it. */
export interface Server {
  readonly pool: Pool;
  /** Host, port and name of the database, for messages. */
  readonly place: string;
  /** Undefined: the clock of the server. */
  readonly clock: (() => number) | undefined;
  /** The clock of the server, as this process has seen it when it opened the store. For ids alone. */
  time(): number;
  /** A call waits this long for a server that is away. */
  readonly patienceMs: number;
  /** Aborted by `Store.close`: calls no longer wait for a server that is away. */
  readonly ended: AbortSignal;
}

/** Longest pause between two attempts. A server that starts again is noticed within it. */
const PAUSE_MS = 500;

/**
 * Repeats `attempt` while the server is away, and after a deadlock or a serialization failure. Rejects with the
 * `StoreError` of the last failure after `patienceMs`.
 */
export async function insist<T>(server: Server, attempt: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + server.patienceMs;
  for (let round = 0; ; round += 1) {
    try {
      return await attempt();
    } catch (error) {
      const isFinal = performance.now() > deadline || server.ended.aborted;
      if (!(error instanceof ServerFailure) || kindOf(error) === 'refused' || isFinal)
        throw storeProblem(server.place, error);
      // With a random part, so that two transactions in a deadlock do not meet again.
      await sleep(Math.min(PAUSE_MS, 10 * 2 ** round) * (0.5 + Math.random() / 2));
    }
  }
}

/** Runs `work` outside any transaction: each statement sees committed data. */
export function readFrom<T>(server: Server, work: (connection: Connection) => Promise<T>): Promise<T> {
  return insist(server, async () => {
    const client = await connectClient(server.pool);
    let isBroken = false;
    try {
      return await work({ client, clock: readClock(server) ?? null });
    } catch (error) {
      isBroken = error instanceof ServerFailure && sqlStateOf(error) === undefined;
      throw error;
    } finally {
      client.release(isBroken);
    }
  });
}

/**
 * Runs `work` in a transaction. `work` can run more than once; its last result counts. When the connection dies before the
 * answer to `commit`, the server is asked for the state of the transaction.
 */
export function writeTo<T>(server: Server, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  return insist(server, async () => {
    const { result, doubt } = await attemptTransaction(server, work);
    if (doubt !== undefined && !(await isCommitted(server, doubt.xid))) throw doubt.failure;
    return result;
  });
}

interface Attempted<T> {
  readonly result: T;
  /** The answer to `commit` is missing. */
  readonly doubt: { readonly xid: string; readonly failure: ServerFailure } | undefined;
}

async function attemptTransaction<T>(
  server: Server,
  work: (transaction: Transaction) => Promise<T>,
): Promise<Attempted<T>> {
  const client = await connectClient(server.pool);
  let isBroken = true;
  try {
    const { xid, now } = await begin(client, readClock(server));
    const result = await work({ client, clock: now, now }).catch(async (error: unknown) => {
      isBroken = !(await rollBack(client));
      throw error;
    });
    const failure = await commit(client);
    isBroken = failure !== undefined;
    return { result, doubt: failure && { xid, failure } };
  } finally {
    client.release(isBroken);
  }
}

function readClock({ clock }: Server): number | undefined {
  return clock === undefined ? undefined : Math.trunc(clock());
}

const BEGIN = `
  begin;
  select pg_current_xact_id()::text as xid, floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now`;

async function begin(client: ClientBase, clock: number | undefined): Promise<{ xid: string; now: number }> {
  try {
    // One result for each of the two statements.
    const [, begun] = (await client.query(BEGIN)) as unknown as { rows: { xid: string; now: number }[] }[];
    const row = begun?.rows[0];
    if (row === undefined) throw new Error('The server began no transaction');
    return { xid: row.xid, now: clock ?? row.now };
  } catch (error) {
    throw new ServerFailure(error);
  }
}

/** Resolves to the failure when the answer to `commit` is missing: `isCommitted` then asks the server. */
async function commit(client: ClientBase): Promise<ServerFailure | undefined> {
  try {
    const { command } = await client.query('commit');
    if (command === 'COMMIT') return undefined;
  } catch (error) {
    const failure = new ServerFailure(error);
    if (kindOf(failure) !== 'away') throw failure;
    return failure;
  }
  throw new Error('A failed statement was ignored, and its transaction rolled back.');
}

/** False when the connection is of no more use. */
async function rollBack(client: ClientBase): Promise<boolean> {
  return client.query('rollback').then(
    () => true,
    () => false,
  );
}

const FIND_STATE = 'select pg_xact_status(:xid::xid8) as state';

/** The server may still be at it, or it waits up to 10 s for a `commit` that has not arrived. */
const POLL_MS = 50;

async function isCommitted(server: Server, xid: string): Promise<boolean> {
  const deadline = performance.now() + server.patienceMs;
  while (performance.now() < deadline) {
    const found = await readFrom(server, (connection) =>
      findRow<{ state: string | null }>(connection, FIND_STATE, { xid }),
    );
    if (found?.state === 'committed') return true;
    if (found?.state === 'aborted') return false;
    await sleep(POLL_MS);
  }
  throw new StoreError('unavailable', `The database ${server.place} does not tell whether a write was done.`);
}

/**
 * Sends `begin`, the statements and `commit` without waiting for the answers in between: one round trip. Resolves to the
 * rows of each statement. After a failure without an answer the caller must find out whether it was committed.
 */
export async function commitAtOnce(
  server: Server,
  statements: readonly (readonly [sql: string, parameters: Parameters])[],
): Promise<readonly (readonly unknown[])[]> {
  const client = await connectClient(server.pool);
  const connection = { client, clock: readClock(server) ?? null };
  let isBroken = true;
  try {
    const answers = [
      client.query('begin'),
      ...statements.map(([sql, parameters]) => listRows<unknown>(connection, sql, parameters)),
      client.query('commit'),
    ];
    const settled = await Promise.allSettled(answers);
    const failed = settled.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') {
      isBroken = sqlStateOf(failed.reason) === undefined;
      throw failed.reason instanceof ServerFailure ? failed.reason : new ServerFailure(failed.reason);
    }
    isBroken = false;
    return await Promise.all(answers.slice(1, -1) as Promise<unknown[]>[]);
  } finally {
    client.release(isBroken);
  }
}
