import { join } from 'node:path';
import { type Migration, readMigrations } from '@plugboard/sqlite';
import type { Store } from '../../contract/store.ts';
import { migrate } from './migrate.ts';
import { NODE_CONNECTIONS, type NodeName, openNodes } from './nodes/nodes.ts';
import { createPool } from './pool.ts';
import { createStore } from './store.ts';
import { insist, type Server } from './transaction.ts';

export interface PostgresOptions {
  /** Most connections of this process. Default 10. */
  readonly connections?: number;
  /** The server ends a statement that takes longer. Default 30,000. */
  readonly statementMs?: number;
  /** A call waits this long for a server that is away, before it rejects with `unavailable`. Default 30,000. */
  readonly patienceMs?: number;
  /**
   * Opens the store as one of several gateways, with `Store.nodes`. Rejects with `in-use` while another process has the name.
   * Takes two connections more.
   */
  readonly node?: NodeName;
  /** Replaces the clock of the database, in milliseconds since 1970. For tests: nodes need not agree on their clocks. */
  readonly clock?: () => number;
}

/** `openPostgres` waits this long for a server that is away. */
const OPENING_MS = 10_000;

/**
 * Opens the store in the database of `url`, and makes its tables when there are none. Several processes can have it open.
 * Rejects with a `StoreError` that names the database, and never its password.
 */
export async function openPostgres(url: string, options: PostgresOptions = {}): Promise<Store> {
  const { connections = 10, statementMs = 30_000, patienceMs = 30_000, node, clock } = options;
  const place = describePlace(url);
  const pool = await createPool(url, {
    connections: connections + (node ? NODE_CONNECTIONS : 0),
    statementMs,
  });
  const over = new AbortController();
  let offset = 0;
  const time = (): number => clock?.() ?? performance.now() + offset;
  const server: Server = { pool, place, clock, time, patienceMs, ended: over.signal };
  try {
    const opening = { ...server, patienceMs: Math.min(patienceMs, OPENING_MS) };
    const { createdAt, now } = await insist(opening, () => migrate(server, ownMigrations()));
    offset = now - performance.now();
    const createNodes = node && (await openNodes(opening, node));
    return createStore(server, { createdAt, over, createNodes });
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/** The files of `schema/`, in the order of their numbers. */
export function ownMigrations(): Migration[] {
  return readMigrations(join(import.meta.dirname, 'schema'));
}

/** Host, port and name of the database of a URL. */
export function describePlace(url: string): string {
  if (!URL.canParse(url)) return 'of this URL';
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}
