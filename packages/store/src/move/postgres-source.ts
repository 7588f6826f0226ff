import { StoreError } from '../contract/errors.ts';
import { ownMigrations } from '../drivers/postgres/open.ts';
import type { MoveSource } from './database.ts';
import { connectAlone } from './postgres-connection.ts';
import { createPostgresReader } from './postgres-reader.ts';

const INSPECT = `
  select to_regclass('plugboard_migrations') is not null as known, to_regclass('plugboard_move') is not null as moving`;

const FIND = 'select max(number) as last, min(applied_at) as at from plugboard_migrations';

/** Opens a store in Postgres to read it, and writes nothing. */
export async function openPostgresSource(url: string): Promise<MoveSource> {
  const connection = await connectAlone(url);
  const { place, query, close } = connection;
  try {
    const [found] = await query<{ known: boolean; moving: boolean }>(INSPECT);
    if (found?.known !== true)
      throw new StoreError('not-found', `There is no store to move in the database ${place}.`);
    if (found.moving)
      throw new StoreError('conflict', `The database ${place} is itself the target of an unfinished move.`);
    const [state] = await query<{ last: number; at: number }>(FIND);
    const newest = ownMigrations().length;
    if (state === undefined || state.last < newest)
      throw new StoreError(
        'unavailable',
        `The database ${place} is of an older version: start a gateway of this version on it once, and stop it.`,
      );
    if (state.last > newest)
      throw new StoreError('newer', `The database ${place} was written by a newer version of this program.`);
    return { kind: 'postgres', place, createdAt: state.at, reader: createPostgresReader(connection), close };
  } catch (error) {
    await close();
    throw error;
  }
}
