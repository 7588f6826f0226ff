import type { Migration } from '@plugboard/sqlite';
import type { ClientBase } from 'pg';
import { StoreError } from '../../contract/errors.ts';
import { ServerFailure } from './failure.ts';
import { connectClient } from './pool.ts';
import type { Server } from './transaction.ts';

/** Key of the advisory lock, "Plug" in ASCII: of nodes that start together, one migrates. */
const LOCK = 0x506c7567;

/** When the first migration was applied, and the time of the server. */
interface Migrated {
  readonly createdAt: number;
  readonly now: number;
}

/** Applies the missing migrations, all or none. */
export async function migrate(server: Server, migrations: readonly Migration[]): Promise<Migrated> {
  const client = await connectClient(server.pool);
  let isBroken = true;
  try {
    await client.query('begin');
    await client.query(`select pg_advisory_xact_lock(${LOCK})`);
    const migrated = await applyMissing(client, server, migrations);
    await client.query('commit');
    isBroken = false;
    return migrated;
  } catch (error) {
    throw error instanceof StoreError ? error : new ServerFailure(error);
  } finally {
    client.release(isBroken);
  }
}

async function applyMissing(
  client: ClientBase,
  { place, clock }: Server,
  migrations: readonly Migration[],
): Promise<Migrated> {
  const last = await findLast(client, place);
  if (last > migrations.length)
    throw new StoreError('newer', `The database ${place} was written by a newer version of this program.`);
  for (const [index, migration] of migrations.entries()) {
    if (index < last) continue;
    await client.query(migration.sql());
    const now = clock === undefined ? null : Math.trunc(clock());
    await client.query(RECORD, [index + 1, migration.name, now]);
  }
  await indexSaid(client);
  const { rows } = await client.query<Migrated>(FIND_TIMES);
  return rows[0] ?? { createdAt: 0, now: 0 };
}

const FIND_TIMES = `
  select min(applied_at) as "createdAt", floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now
  from plugboard_migrations`;

const RECORD = `
  insert into plugboard_migrations (number, name, applied_at)
  values ($1, $2, coalesce($3::bigint, floor(extract(epoch from clock_timestamp()) * 1000)::bigint))`;

const INSPECT = `
  select to_regclass('plugboard_migrations') is not null as known, to_regclass('plugboard_move') is not null as moving,
    to_regclass('sessions') is not null or to_regclass('events') is not null as taken`;

const MAKE = `
  create table plugboard_migrations (number integer primary key, name text not null, applied_at bigint not null)`;

/** The number of the last migration; 0 in an empty database. */
async function findLast(client: ClientBase, place: string): Promise<number> {
  const { rows } = await client.query<{ known: boolean; moving: boolean; taken: boolean }>(INSPECT);
  if (rows[0]?.moving === true)
    throw new StoreError(
      'conflict',
      `A move into the database ${place} is not finished. Run plugboard db move again, or make another database.`,
    );
  if (rows[0]?.known === true) {
    const found = await client.query<{ last: number | null }>(
      'select max(number) as last from plugboard_migrations',
    );
    return found.rows[0]?.last ?? 0;
  }
  if (rows[0]?.taken === true)
    throw new StoreError(
      'foreign',
      `The database ${place} has tables of another program. Make one of its own.`,
    );
  await client.query(MAKE);
  return 0;
}

const HAS_INDEX = "select to_regclass('said_trigrams') is not null as has";

/**
 * Makes the trigram index for searches. `pg_trgm` needs the owner of the database; where it is refused, or not installed,
 * searches read `said` as a whole. The next start tries again.
 */
async function indexSaid(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ has: boolean }>(HAS_INDEX);
  if (rows[0]?.has === true) return;
  await client.query('savepoint trigrams');
  try {
    await client.query('create extension if not exists pg_trgm');
    await client.query('create index said_trigrams on said using gin (text gin_trgm_ops)');
  } catch {
    await client.query('rollback to savepoint trigrams');
  }
}
