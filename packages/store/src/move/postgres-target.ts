import { StoreError } from '../contract/errors.ts';
import { migrate } from '../drivers/postgres/migrate.ts';
import { ownMigrations } from '../drivers/postgres/open.ts';
import type { Server } from '../drivers/postgres/transaction.ts';
import { type Batch, columnsOf, type MoveTarget, type Progress, type SearchedText } from './database.ts';
import { connectAlone, type MoveConnection } from './postgres-connection.ts';
import { createPostgresReader } from './postgres-reader.ts';
import { otherMove } from './refusals.ts';
import { TABLES } from './tables.ts';

// While there is this table, `migrate` refuses to open the database for a gateway.
const MAKE_PROGRESS = `
  create table plugboard_move (only_one integer primary key check (only_one = 1), source text not null, progress text not null)`;

/** Makes a store in an empty Postgres database. */
export async function openPostgresTarget(url: string): Promise<MoveTarget> {
  const connection = await connectAlone(url);
  const { place, query, close } = connection;
  const commit = async (work: () => Promise<void>): Promise<void> => {
    await query('begin');
    try {
      await work();
      await query('commit');
    } catch (error) {
      await query('rollback').catch(() => {});
      throw error;
    }
  };
  return {
    kind: 'postgres',
    place: `the database ${place}`,
    reader: createPostgresReader(connection),
    begin: (identity) => begin(connection, identity, commit),
    write: (batch) => commit(() => writeBatch(connection, batch)),
    async prepare() {
      await query('analyze');
    },
    finish: (createdAt) =>
      commit(async () => {
        for (const { name, isNumbered } of TABLES) if (isNumbered) await query(setNext(name));
        await query('update plugboard_migrations set applied_at = $1', [createdAt]);
        await query('drop table if exists plugboard_move');
      }),
    close,
  };
}

function setNext(table: string): string {
  return `select setval(pg_get_serial_sequence('${table}', 'seq'), (select coalesce(max(seq), 0) + 1 from ${table}), false)`;
}

type Commit = (work: () => Promise<void>) => Promise<void>;

async function begin(
  { pool, place, query }: MoveConnection,
  identity: string,
  commit: Commit,
): Promise<Progress | 'complete' | 'new'> {
  const [found] = await query<{ moving: boolean }>(
    "select to_regclass('plugboard_move') is not null as moving",
  );
  if (found?.moving === true) {
    const [move] = await query<{ source: string; progress: string }>(
      'select source, progress from plugboard_move',
    );
    if (move?.source !== identity) throw otherMove(`The database ${place}`, 'Make another database.');
    return JSON.parse(move.progress) as Progress;
  }
  const server: Server = {
    ...{ pool, place, clock: undefined, patienceMs: 0, ended: new AbortController().signal },
    time: () => 0,
  };
  await migrate(server, ownMigrations());
  if (await hasRows(query)) return 'complete';
  await commit(async () => {
    await query(MAKE_PROGRESS);
    await query("insert into plugboard_move values (1, $1, '{}')", [identity]);
  });
  return 'new';
}

async function hasRows(query: MoveConnection['query']): Promise<boolean> {
  const any = TABLES.map(({ name }) => `exists (select 1 from ${name})`).join(' or ');
  const [found] = await query<{ taken: boolean }>(`select ${any} as taken`);
  return found?.taken === true;
}

async function writeBatch(
  { query }: MoveConnection,
  { table, rows, searched, progress }: Batch,
): Promise<void> {
  const columns = columnsOf(table, 'postgres');
  const types = table.columns.flatMap(({ postgres, type }) => (postgres === undefined ? [] : type));
  const arrays = types.map((type, at) => `$${at + 1}::${type}[]`);
  const values = columns.map((_column, at) => rows.map((row) => row[at] ?? null));
  const override = table.isNumbered ? 'overriding system value' : '';
  await query(
    `insert into ${table.name} (${columns.join(', ')}) ${override} select * from unnest(${arrays.join(', ')})`,
    values,
  );
  if (searched.length > 0) await query(ADD_SEARCHED, searchedColumns(searched));
  await query('update plugboard_move set progress = $1', [JSON.stringify(progress)]);
}

const ADD_SEARCHED =
  'insert into said (session, number, text) select * from unnest($1::bigint[], $2::bigint[], $3::text[])';

function searchedColumns(searched: readonly SearchedText[]): unknown[] {
  return [
    searched.map(({ session }) => session),
    searched.map(({ number }) => number),
    searched.map(({ text }) => text),
  ];
}

/** `conflict` for a target with other rows. */
export function notEmpty(place: string): StoreError {
  return new StoreError(
    'conflict',
    `There is a store in ${place} already. Make a new database, or name a new file.`,
  );
}
