import type { Pool, PoolClient } from 'pg';
import { StoreError } from '../contract/errors.ts';
import { ServerFailure, storeProblem } from '../drivers/postgres/failure.ts';
import { GATEWAY_LOCK } from '../drivers/postgres/nodes/lock-keys.ts';
import { describePlace } from '../drivers/postgres/open.ts';
import { connectClient, createPool } from '../drivers/postgres/pool.ts';

/** A database that no gateway can open meanwhile. */
export interface MoveConnection {
  readonly pool: Pool;
  readonly client: PoolClient;
  readonly place: string;
  query<R>(sql: string, values?: readonly unknown[]): Promise<R[]>;
  close(): Promise<void>;
}

/** A batch of large rows takes longer than a call of a gateway. */
const STATEMENT_MS = 600_000;

/** Connects, and takes the lock that gateways hold. Rejects with `in-use` while one runs. */
export async function connectAlone(url: string): Promise<MoveConnection> {
  const place = describePlace(url);
  const pool = await createPool(url, { connections: 3, statementMs: STATEMENT_MS });
  const explain = (error: unknown): unknown =>
    storeProblem(
      place,
      error instanceof StoreError || error instanceof ServerFailure ? error : new ServerFailure(error),
    );
  const held: PoolClient[] = [];
  const connect = async (): Promise<PoolClient> => {
    const client = await connectClient(pool);
    held.push(client);
    return client;
  };
  const close = async (): Promise<void> => {
    // The server ends a closed connection a moment later: the next move, or a gateway, would still find the lock.
    await held[0]?.query('select pg_advisory_unlock_all()').catch(() => {});
    for (const client of held.splice(0)) client.release(true);
    await pool.end();
  };
  try {
    const guard = await connect();
    const { rows } = await guard.query<{ taken: boolean }>(
      `select pg_try_advisory_lock(${GATEWAY_LOCK}) as taken`,
    );
    if (rows[0]?.taken !== true)
      throw new StoreError(
        'in-use',
        `The database ${place} is in use by a gateway. Stop it: nothing may change during a move.`,
      );
    const client = await connect();
    return {
      pool,
      client,
      place,
      async query<R>(sql: string, values: readonly unknown[] = []) {
        try {
          return (await client.query(sql, [...values])).rows as R[];
        } catch (error) {
          throw explain(error);
        }
      },
      close,
    };
  } catch (error) {
    await close();
    throw explain(error);
  }
}
