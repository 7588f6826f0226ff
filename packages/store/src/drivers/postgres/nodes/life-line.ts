import { setTimeout as sleep } from 'node:timers/promises';
import type { Notification, PoolClient } from 'pg';
import { StoreError } from '../../../contract/errors.ts';
import { ServerFailure } from '../failure.ts';
import { connectClient } from '../pool.ts';
import { insist, type Server } from '../transaction.ts';
import { GATEWAY_LOCK, NODE_LOCKS } from './lock-keys.ts';

/** The connection that proves a node alive: it holds the lock of the node, listens, and is otherwise idle. */
export interface LifeLine {
  readonly isAlive: boolean;
  /** Runs `work` on the connection; undefined while it is broken. */
  use<T>(work: (client: PoolClient) => Promise<T>): Promise<T | undefined>;
  /** Frees the locks, and closes the connection. */
  close(): Promise<void>;
}

export interface LifeLineOptions {
  readonly server: Server;
  readonly name: string;
  /** Key of the node's lock (`nodes.seq`). */
  readonly key: number;
  readonly onNotification: (payload: string) => void;
  readonly onAlive: (isAlive: boolean) => void;
}

/** Channel of `listen` and `notify`. */
export const CHANNEL = 'plugboard';

const PAUSE_MS = 250;

/** A node that was killed has lost its lock within milliseconds; one whose host vanished, within 5 s (`prepareClient`). */
const TAKE_MS = 5_000;

/**
 * Takes the lock of the node. When the connection breaks, another one takes the lock again, for as long as it takes. Rejects
 * with `in-use` while another process has the name.
 */
export async function openLifeLine(options: LifeLineOptions): Promise<LifeLine> {
  let held: PoolClient | undefined;
  let isClosed = false;

  const hold = (client: PoolClient): void => {
    held = client;
    client.on('notification', ({ payload = '' }: Notification) => options.onNotification(payload));
    client.once('end', () => {
      if (isClosed) return;
      held = undefined;
      client.release(true);
      options.onAlive(false);
      void retake();
    });
  };
  const retake = async (): Promise<void> => {
    while (!isClosed) {
      const client = await takeLock(options).catch(() => undefined);
      if (client !== undefined) {
        if (isClosed) return client.release(true);
        hold(client);
        return options.onAlive(true);
      }
      await sleep(PAUSE_MS, undefined, { ref: false });
    }
  };

  hold(await takeFirst(options));
  await refuseSharedSessions(options).catch((error: unknown) => {
    isClosed = true;
    held?.release(true);
    throw error;
  });
  return {
    get isAlive() {
      return held !== undefined;
    },
    use: async (work) => (held === undefined ? undefined : work(held)),
    async close() {
      isClosed = true;
      // The server ends a closed connection a moment later: others would find the locks held until then.
      await held?.query('select pg_advisory_unlock_all()').catch(() => {});
      held?.release(true);
    },
  };
}

async function takeFirst(options: LifeLineOptions): Promise<PoolClient> {
  const deadline = performance.now() + TAKE_MS;
  for (;;) {
    try {
      return await insist(options.server, () => takeLock(options));
    } catch (error) {
      const isTaken = error instanceof StoreError && error.code === 'in-use';
      if (!isTaken || performance.now() > deadline) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

/** Throws `in-use` when another connection has the lock. */
async function takeLock(options: LifeLineOptions): Promise<PoolClient> {
  const client = await connectClient(options.server.pool);
  if (!(await tryLock(client, `pg_try_advisory_lock(${NODE_LOCKS}, ${options.key})`))) {
    client.release();
    throw inUse(options);
  }
  if (!(await tryLock(client, `pg_try_advisory_lock_shared(${GATEWAY_LOCK})`))) {
    client.release(true);
    throw beingMoved(options);
  }
  await client.query(`listen ${CHANNEL}`).catch((error: unknown) => {
    client.release(true);
    throw new ServerFailure(error);
  });
  return client;
}

async function tryLock(client: PoolClient, lock: string): Promise<boolean> {
  try {
    const { rows } = await client.query<{ taken: boolean }>(`select ${lock} as taken`);
    return rows[0]?.taken === true;
  } catch (error) {
    client.release(true);
    throw new ServerFailure(error);
  }
}

/** A pooler in transaction mode gives one session to several clients: each of them gets the same lock. */
async function refuseSharedSessions({ server, key }: LifeLineOptions): Promise<void> {
  const client = await connectClient(server.pool);
  const isShared = await tryLock(client, `pg_try_advisory_lock(${NODE_LOCKS}, ${key})`);
  client.release();
  if (!isShared) return;
  const words = `The pooler before the database ${server.place} shares sessions among clients.`;
  throw new StoreError('unavailable', `${words} Set pgbouncer to pool_mode = session, or connect directly.`);
}

function beingMoved({ server }: LifeLineOptions): StoreError {
  const words = `The database ${server.place} is being moved: plugboard db move has it for itself.`;
  return new StoreError('in-use', words);
}

function inUse({ server, name }: LifeLineOptions): StoreError {
  const words = `The database ${server.place} is in use by another gateway with the name ${name}.`;
  return new StoreError('in-use', words);
}
