import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  type Connection,
  executeSql,
  findRow,
  listRows,
  openForWriting,
  prepareStatement,
  runStatement,
  runTransaction,
  takeWatchedLock,
} from '@plugboard/sqlite';
import { StoreError } from '../contract/errors.ts';
import { openStoreConnection } from '../drivers/sqlite/connection.ts';
import { ownSchema } from '../drivers/sqlite/open.ts';
import { storeProblem } from '../drivers/sqlite/problem.ts';
import { documentOf, indexNext, indexText, TITLE } from '../drivers/sqlite/search/documents.ts';
import { type Batch, columnsOf, type MoveTarget, type Progress } from './database.ts';
import type { Value } from './move-table.ts';
import { otherMove } from './refusals.ts';
import { createSqliteReader, hasTable } from './sqlite-reader.ts';
import { TABLES } from './tables.ts';

/** Suffix of the file of an unfinished move: no gateway opens it. */
const MOVING = '.moving';

const MAKE_PROGRESS = `
  create table plugboard_move (only_one integer primary key check (only_one = 1), source text not null, progress text not null)`;

/** Makes a store in a new SQLite file, which gets its name when it is complete. */
export function openSqliteTarget(file: string): MoveTarget {
  if (existsSync(file)) throw new StoreError('conflict', `There is a file ${file} already. Name a new one.`);
  const moving = `${file}${MOVING}`;
  try {
    const { connection, lock } = openForWriting(moving, {
      schema: ownSchema(),
      connect: openStoreConnection,
      takeLock: () => takeWatchedLock(moving, true),
      prepare: ({ database }) =>
        database.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on'),
      now: 0,
    });
    const close = (): void => {
      if (!connection.database.isOpen) return;
      connection.database.close();
      lock.release();
    };
    return {
      kind: 'sqlite',
      place: file,
      reader: createSqliteReader(connection),
      begin: async (identity) => begin(connection, moving, identity),
      write: async (batch) => {
        try {
          writeBatch(connection, batch);
        } catch (error) {
          throw storeProblem(moving, error);
        }
      },
      prepare: async () => buildIndex(connection),
      async finish(createdAt) {
        runTransaction(connection, () => {
          runStatement(connection, 'update migrations set applied_at = :createdAt', { createdAt });
          executeSql(connection, 'drop table if exists plugboard_move');
        });
        // Closing the last connection moves the write-ahead log into the file.
        close();
        publish(moving, file);
      },
      close: async () => close(),
    };
  } catch (error) {
    throw storeProblem(moving, error);
  }
}

function begin(connection: Connection, moving: string, identity: string): Progress | 'complete' | 'new' {
  if (!hasTable(connection, 'plugboard_move')) {
    // The move was complete, and was ended before the file got its name.
    if (TABLES.some(({ name }) => findRow(connection, `select 1 from ${name} limit 1`) !== undefined))
      return 'complete';
    runTransaction(connection, () => {
      executeSql(connection, MAKE_PROGRESS);
      runStatement(connection, "insert into plugboard_move values (1, :identity, '{}')", { identity });
    });
    return 'new';
  }
  const found = findRow<{ source: string; progress: string }>(
    connection,
    'select source, progress from plugboard_move',
  );
  if (found?.source !== identity) throw otherMove(moving, `Remove ${moving}, or name another file.`);
  return JSON.parse(found.progress) as Progress;
}

function writeBatch(connection: Connection, { table, rows, progress }: Batch): void {
  const columns = columnsOf(table, 'sqlite');
  const sql = `insert into ${table.name} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`;
  runTransaction(connection, () => {
    const statement = prepareStatement(connection, sql);
    for (const row of rows) statement.run(...(row as Exclude<Value, boolean>[]));
    runStatement(connection, 'update plugboard_move set progress = :progress', {
      progress: JSON.stringify(progress),
    });
  });
}

/** Sessions or events that are indexed in one transaction. */
const PAGE = 2_000;

const TITLES = "select seq, title from sessions where title <> '' and seq > :after order by seq limit :limit";

/** The search index, from the beginning: a move that was ended here begins it again. */
function buildIndex(connection: Connection): void {
  runTransaction(connection, () =>
    executeSql(
      connection,
      "insert into said (said) values ('delete-all'); insert into said_short (said_short) values ('delete-all'); update indexed set seq = 0",
    ),
  );
  for (let after = 0; ; ) {
    const titles = listRows<{ seq: number; title: string }>(connection, TITLES, { after, limit: PAGE });
    runTransaction(connection, () => {
      for (const { seq, title } of titles) indexText(connection, documentOf(seq, TITLE), title);
    });
    const last = titles.at(-1);
    if (last === undefined) break;
    after = last.seq;
  }
  while (runTransaction(connection, () => indexNext(connection, PAGE)) > 0);
}

function publish(moving: string, file: string): void {
  const opened = openSync(moving, 'r+');
  fsyncSync(opened);
  closeSync(opened);
  if (existsSync(file))
    throw new StoreError('conflict', `A file ${file} was made meanwhile. The copy is ${moving}.`);
  renameSync(moving, file);
  for (const suffix of ['.lock', '-wal', '-shm']) rmSync(`${moving}${suffix}`, { force: true });
  const directory = openSync(dirname(file), 'r');
  fsyncSync(directory);
  closeSync(directory);
}
