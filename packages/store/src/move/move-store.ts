import { StoreError } from '../contract/errors.ts';
import { storableText } from '../storable.ts';
import {
  columnsOf,
  convertRow,
  type MoveSource,
  type MoveTarget,
  type Progress,
  type StorePlace,
} from './database.ts';
import type { Row, TableMove } from './move-table.ts';
import { openPostgresSource } from './postgres-source.ts';
import { notEmpty, openPostgresTarget } from './postgres-target.ts';
import { type ProvedTable, proveCopy } from './prove.ts';
import { searchedIn } from './searched-text.ts';
import { openSqliteSource } from './sqlite-source.ts';
import { openSqliteTarget } from './sqlite-target.ts';
import { TABLES } from './tables.ts';

export type { StorePlace } from './database.ts';

export interface MoveOptions {
  readonly from: StorePlace;
  readonly to: StorePlace;
  /** Called after each batch, and for each table that was compared. */
  readonly onProgress?: (progress: MoveProgress) => void;
}

export interface MoveProgress {
  readonly stage: 'copying' | 'comparing';
  readonly table: string;
  /** Rows of all tables so far, and in all. */
  readonly rows: number;
  readonly of: number;
}

/** Result of `moveStore`, which does not change the source. */
export interface MovedStore {
  readonly tables: readonly ProvedTable[];
  /** An earlier move of the same source was continued, or had been finished. */
  readonly isResumed: boolean;
  /** Texts with NUL, which Postgres does not take: it is U+FFFD in the copy. */
  readonly changedTexts: number;
  /** Rows that this call copied, and milliseconds that the copying took. */
  readonly copiedRows: number;
  readonly copyMs: number;
}

/**
 * Copies a store from one database into another, and proves the copy. Rejects with a `StoreError`: `in-use` while a gateway
 * runs on either, `conflict` for a target that has anything but an unfinished move of the same source. A move that was
 * ended, by a signal as well, goes on where it was when it is called again.
 */
export async function moveStore({ from, to, onProgress = () => {} }: MoveOptions): Promise<MovedStore> {
  const source = await openSource(from);
  let target: MoveTarget | undefined;
  try {
    const { identity, rows: of } = await identify(source);
    target = await openTarget(to);
    const begun = await target.begin(identity);
    const began = performance.now();
    const copied = begun === 'complete' ? NOTHING : await copyRows(source, target, begun, { of, onProgress });
    const copyMs = performance.now() - began;
    if (begun !== 'complete') await target.prepare();
    let compared = 0;
    const tables = await proveCopy(source, target, (table, rows) => {
      compared += rows;
      onProgress({ stage: 'comparing', table, rows: compared, of });
    }).catch((error: unknown) => {
      const isOther = begun === 'complete' && error instanceof StoreError && error.code === 'corrupt';
      throw isOther && target !== undefined ? notEmpty(target.place) : error;
    });
    await target.finish(source.createdAt);
    return {
      tables,
      isResumed: begun !== 'new',
      changedTexts: copied.changedTexts,
      copiedRows: copied.rows,
      copyMs,
    };
  } finally {
    await target?.close();
    await source.close();
  }
}

export function openSource(from: StorePlace): MoveSource | Promise<MoveSource> {
  return from.kind === 'sqlite' ? openSqliteSource(from.file) : openPostgresSource(from.url);
}

function openTarget(to: StorePlace): MoveTarget | Promise<MoveTarget> {
  return to.kind === 'sqlite' ? openSqliteTarget(to.file) : openPostgresTarget(to.url);
}

/** Changes when a gateway has used the source: the rows that were copied before may be others now. */
async function identify({ createdAt, reader }: MoveSource): Promise<{ identity: string; rows: number }> {
  const counts: number[] = [];
  for (const { name } of TABLES) counts.push(await reader.count(name));
  const columns = ['last_event', 'fence', 'updated_at'] as const;
  const sums = [0, 0, 0];
  for await (const rows of reader.batches({ name: 'sessions' }, columns, { key: ['seq'], after: undefined }))
    for (const row of rows)
      for (const [at, column] of columns.entries())
        sums[at] = ((sums[at] ?? 0) + Number(row[column])) % 2 ** 52;
  return {
    identity: JSON.stringify([createdAt, ...counts, ...sums]),
    rows: counts.reduce((sum, one) => sum + one, 0),
  };
}

interface Copied {
  rows: number;
  changedTexts: number;
}

const NOTHING: Copied = { rows: 0, changedTexts: 0 };

async function copyRows(
  source: MoveSource,
  target: MoveTarget,
  begun: Progress | 'new',
  { of, onProgress }: { readonly of: number; readonly onProgress: (progress: MoveProgress) => void },
): Promise<Copied> {
  const progress = begun === 'new' ? { table: undefined, after: undefined } : begun;
  const first = TABLES.findIndex(({ name }) => name === progress.table);
  const copied = { rows: 0, changedTexts: 0 };
  let done = 0;
  for (const [at, table] of TABLES.entries()) {
    if (at < first) {
      done += await source.reader.count(table.name);
      continue;
    }
    const after = at === first ? progress.after : undefined;
    if (at === first) done += await target.reader.count(table.name);
    await copyTable(source, target, { table, after }, (rows) => {
      for (const row of rows) copied.changedTexts += countChanged(row, target.kind);
      copied.rows += rows.length;
      onProgress({ stage: 'copying', table: table.name, rows: done + copied.rows, of });
    });
  }
  return copied;
}

async function copyTable(
  { kind, reader }: MoveSource,
  target: MoveTarget,
  { table, after }: { readonly table: TableMove; readonly after: Progress['after'] },
  onCopied: (rows: readonly Row[]) => void,
): Promise<void> {
  const key = table.key[kind];
  for await (const rows of reader.batches(table, columnsOf(table, kind), { key, after })) {
    const last = rows.at(-1);
    await target.write({
      table,
      rows: rows.map((row) => convertRow(table, target.kind, row)),
      searched: target.kind === 'postgres' ? rows.flatMap((row) => searchedIn(table.name, row) ?? []) : [],
      progress: { table: table.name, after: key.map((column) => last?.[column] ?? null) },
    });
    onCopied(rows);
  }
}

function countChanged(row: Row, target: StorePlace['kind']): number {
  if (target === 'sqlite') return 0;
  return Object.values(row).filter((value) => typeof value === 'string' && storableText(value) !== value)
    .length;
}
