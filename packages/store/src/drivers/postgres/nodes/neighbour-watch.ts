import { setTimeout as sleep } from 'node:timers/promises';
import { connectClient } from '../pool.ts';
import type { Server } from '../transaction.ts';
import { NODE_LOCKS } from './lock-keys.ts';
import type { Peer } from './node-rows.ts';

export interface NeighbourWatch {
  /** Call when a node has joined or ended: the neighbour may be another one. */
  refresh(): void;
  close(): Promise<void>;
}

export interface WatchOptions {
  readonly server: Server;
  /** Key of the lock of this node. */
  readonly key: number;
  /** The other nodes that are alive as far as the table says, by ascending key. */
  listPeers(): Promise<readonly Peer[]>;
  /** The lock of `peer` was free. It is held until this settles. */
  onFree(peer: Peer): Promise<void>;
}

/** How long one statement waits for the lock of the neighbour. Then the neighbour is determined anew. */
const WAIT_MS = 20_000;

/** Without a neighbour, and after an error, the table is read again after this time. */
const LOOK_MS = 2_000;

/**
 * After the connection of the watch broke, the server may have been away, and the locks of all nodes with it: each gets this
 * time to take its own again.
 */
const GRACE_MS = 3_000;

/**
 * Waits for the advisory lock of the neighbour, the node with the next lower `nodes.seq` or else the highest, on a connection
 * of its own. The server grants it within milliseconds of the neighbour's death; then the next neighbour is watched.
 */
export function watchNeighbour(options: WatchOptions): NeighbourWatch {
  const { server } = options;
  const over = new AbortController();
  let change = Promise.withResolvers<void>();
  let waiting: { readonly pid: number; readonly seq: number } | undefined;

  // Closing the connection would not do: `pg` lets the statement end first.
  const stopWaiting = (): void => {
    if (waiting !== undefined)
      server.pool.query('select pg_cancel_backend($1)', [waiting.pid]).catch(() => {});
    waiting = undefined;
  };
  const watchOnce = async (peer: Peer): Promise<void> => {
    const client = await connectClient(server.pool);
    try {
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      const wait = { pid: rows[0]?.pid ?? 0, seq: peer.seq };
      waiting = wait;
      await client.query(`set lock_timeout = ${WAIT_MS}`);
      await client.query(`select pg_advisory_lock(${NODE_LOCKS}, ${peer.seq})`);
      const isWanted = waiting === wait;
      waiting = undefined;
      if (isWanted) await options.onFree(peer);
    } finally {
      waiting = undefined;
      // The connection has a setting and a lock that no other user of the pool may get.
      client.release(true);
    }
  };
  const run = async (): Promise<void> => {
    while (!over.signal.aborted) {
      change = Promise.withResolvers();
      const neighbour = await findNeighbour(options).catch(() => undefined);
      if (neighbour === undefined) await Promise.race([change.promise, pause(LOOK_MS, over.signal)]);
      else
        await watchOnce(neighbour).catch(async (error: unknown) => {
          if (!isHeldStill(error)) await pause(GRACE_MS, over.signal);
        });
    }
  };
  const done = run();
  return {
    refresh() {
      change.resolve();
      findNeighbour(options).then(
        (found) => {
          if (found?.seq !== waiting?.seq) stopWaiting();
        },
        () => {},
      );
    },
    async close() {
      over.abort();
      change.resolve();
      stopWaiting();
      await done;
    },
  };
}

/** 55P03: `lock_timeout` has passed. 57014: `stopWaiting`. */
function isHeldStill(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === '55P03' || code === '57014';
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { ref: false, signal }).catch(() => {});
}

async function findNeighbour({ key, listPeers }: WatchOptions): Promise<Peer | undefined> {
  const peers = await listPeers();
  return peers.findLast(({ seq }) => seq < key) ?? peers.at(-1);
}
