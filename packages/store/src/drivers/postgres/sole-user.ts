import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { StoreError } from '../../contract/errors.ts';
import { ServerFailure } from './failure.ts';
import { connectClient } from './pool.ts';
import { insist, type Server } from './transaction.ts';

/** The right of one process to be the only gateway of a database. */
export interface SoleUser {
  /** Throws `in-use` once another process has the database. */
  refuseOthers(): void;
  release(): void;
}

/** Key of the advisory lock: `LOCK` of `migrate.ts` plus 1. */
export const GATEWAY_LOCK = 0x506c7568;

const TAKE = `select pg_try_advisory_lock(${GATEWAY_LOCK}) as taken`;

const PAUSE_MS = 250;

/**
 * Takes an advisory lock on a connection of its own, which the server frees when the process dies. When that connection
 * breaks, the lock is taken again, for `Server.patienceMs`: the server frees that of a broken connection within 5 s
 * (`prepareClient`). Meanwhile the fences of claims keep two processes apart.
 */
export async function takeSoleUse(server: Server): Promise<SoleUser> {
  let held: PoolClient | undefined;
  let isLost = false;
  let isReleased = false;

  const hold = (client: PoolClient): void => {
    held = client;
    client.once('end', () => {
      if (isReleased) return;
      held = undefined;
      client.release(true);
      void retake();
    });
  };
  const retake = async (): Promise<void> => {
    let refusedSince: number | undefined;
    while (!isReleased) {
      try {
        hold(await takeLock(server));
        return;
      } catch (error) {
        // Counts from the first refusal: while the server is away, nobody has the lock.
        if (error instanceof StoreError) refusedSince ??= performance.now();
        isLost = refusedSince !== undefined && performance.now() - refusedSince > server.patienceMs;
        if (isLost) return;
      }
      await sleep(PAUSE_MS, undefined, { ref: false });
    }
  };

  const release = (): void => {
    isReleased = true;
    held?.release(true);
  };

  hold(await insist(server, () => takeLock(server)));
  await refuseSharedSessions(server).catch((error: unknown) => {
    release();
    throw error;
  });
  return {
    refuseOthers() {
      if (isLost) throw inUse(server.place);
    },
    release,
  };
}

/** Rejects with `in-use` when another process has the lock. */
async function takeLock(server: Server): Promise<PoolClient> {
  const client = await connectClient(server.pool);
  if (await tryLock(client)) return client;
  client.release();
  throw inUse(server.place);
}

async function tryLock(client: PoolClient): Promise<boolean> {
  try {
    const { rows } = await client.query<{ taken: boolean }>(TAKE);
    return rows[0]?.taken === true;
  } catch (error) {
    client.release(true);
    throw new ServerFailure(error);
  }
}

/** A pooler in transaction mode gives one session to several clients: each of them gets the same lock. */
async function refuseSharedSessions(server: Server): Promise<void> {
  const client = await connectClient(server.pool);
  const isShared = await tryLock(client);
  client.release();
  if (!isShared) return;
  const words = `The pooler before the database ${server.place} shares sessions among clients.`;
  throw new StoreError('unavailable', `${words} Set pgbouncer to pool_mode = session, or connect directly.`);
}

function inUse(place: string): StoreError {
  return new StoreError('in-use', `The database ${place} is in use by another gateway.`);
}
