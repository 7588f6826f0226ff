import type { ClientBase, Pool, PoolClient, PoolConfig } from 'pg';
import { StoreError } from '../../contract/errors.ts';
import { ServerFailure } from './failure.ts';

export interface PoolLimits {
  /** Connections of this process. */
  readonly connections: number;
  /** A longer statement is ended by the server. */
  readonly statementMs: number;
}

/** Added to `statementMs` for a server that does not end the statement: only then is the connection given up. */
const GRACE_MS = 5_000;

const CONNECT_MS = 5_000;

/** OID of `bigint`, which `pg` reads as text. Each of ours is below 2^53. */
const BIGINT = 20;

/** Opens no connection yet. */
export async function createPool(url: string, { connections, statementMs }: PoolLimits): Promise<Pool> {
  const { default: pg } = await loadPg();
  const config: PoolConfig = {
    connectionString: url,
    application_name: 'plugboard',
    max: connections,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: statementMs + GRACE_MS,
    // Without it, a server that has vanished is never noticed on an idle connection.
    keepAlive: true,
    keepAliveInitialDelayMillis: 2_000,
    // Several statements of a transaction are sent without waiting for the answers.
    pipeline: true,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === BIGINT ? Number : pg.types.getTypeParser(oid, format as 'text'),
    },
    onConnect: (client) => prepareClient(client, statementMs),
  };
  const pool = new pg.Pool(config);
  // An idle connection that the server closes: the pool has dropped it by then.
  pool.on('error', () => {});
  return pool;
}

async function loadPg(): Promise<typeof import('pg')> {
  try {
    return await import('pg');
  } catch (error) {
    throw new StoreError('unavailable', 'A store in Postgres needs the package pg: npm install pg', error);
  }
}

/**
 * Settings go by `set` after the start, because pgbouncer refuses them in the start packet. Keepalives and
 * `client_connection_check_interval` free the locks of a host that vanished within 5 s; the default is 2 h.
 */
async function prepareClient(client: ClientBase, statementMs: number): Promise<void> {
  // A dying connection emits `error` up to two times; without a listener the process would end.
  client.on('error', () => {});
  await client.query(`
    set statement_timeout = ${statementMs};
    set idle_in_transaction_session_timeout = 10000;
    set client_connection_check_interval = 500;
    set tcp_keepalives_idle = 2;
    set tcp_keepalives_interval = 1;
    set tcp_keepalives_count = 2;
    set default_transaction_isolation = 'read committed';
    set standard_conforming_strings = on;
    set jit = off`);
}

export async function connectClient(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw new ServerFailure(error);
  }
}
