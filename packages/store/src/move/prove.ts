import { StoreError } from '../contract/errors.ts';
import { columnsOf, convertRow, type MoveSource, type MoveTarget, type StorePlace } from './database.ts';
import { addRow, type Digest, emptyDigest, sameDigest } from './digest.ts';
import type { TableMove, Value } from './move-table.ts';
import { searchedIn } from './searched-text.ts';
import { TABLES } from './tables.ts';

/** A table of a proved copy. */
export interface ProvedTable {
  readonly name: string;
  readonly rows: number;
}

/** Tells that `rows` rows of a table were compared. */
export type OnCompared = (table: string, rows: number) => void;

/**
 * Compares each row of the target with the row of the source that it comes from, by checksums, and looks for gaps in the
 * numbers of events. Rejects with `corrupt` at the first table that differs.
 */
export async function proveCopy(
  source: MoveSource,
  target: MoveTarget,
  onCompared: OnCompared = () => {},
): Promise<readonly ProvedTable[]> {
  const proved: ProvedTable[] = [];
  const searched = emptyDigest();
  for (const table of TABLES) {
    const wanted = await digestSource(source, table, target.kind, searched);
    const found = await digestTarget(target, table);
    refuseDifference(target, table.name, wanted, found);
    proved.push({ name: table.name, rows: wanted.rows });
    onCompared(table.name, wanted.rows);
  }
  if (target.kind === 'postgres') refuseDifference(target, 'said', searched, await digestSearched(target));
  await refuseGaps(target);
  return proved;
}

async function digestSource(
  { kind, reader }: MoveSource,
  table: TableMove,
  target: StorePlace['kind'],
  searched: Digest,
): Promise<Digest> {
  const digest = emptyDigest();
  const order = { key: table.key[kind], after: undefined };
  for await (const rows of reader.batches(table, columnsOf(table, kind), order))
    for (const row of rows) {
      addRow(digest, convertRow(table, target, row));
      const text = target === 'postgres' ? searchedIn(table.name, row) : undefined;
      if (text !== undefined) addRow(searched, [text.session, text.number, text.text]);
    }
  return digest;
}

async function digestTarget({ kind, reader }: MoveTarget, table: TableMove): Promise<Digest> {
  const digest = emptyDigest();
  const columns = columnsOf(table, kind);
  for await (const rows of reader.batches(table, columns, { key: table.key[kind], after: undefined }))
    for (const row of rows)
      addRow(
        digest,
        columns.map((column): Value => row[column] ?? null),
      );
  return digest;
}

async function digestSearched({ reader }: MoveTarget): Promise<Digest> {
  const digest = emptyDigest();
  const key = ['session', 'number'];
  for await (const rows of reader.batches({ name: 'said' }, [...key, 'text'], { key, after: undefined }))
    for (const { session, number, text } of rows)
      addRow(digest, [session ?? null, number ?? null, text ?? null]);
  return digest;
}

function refuseDifference({ place }: MoveTarget, table: string, wanted: Digest, found: Digest): void {
  if (sameDigest(wanted, found)) return;
  const rows = wanted.rows === found.rows ? 'other values' : `${found.rows} rows, and not ${wanted.rows}`;
  throw new StoreError('corrupt', `The copy in ${place} is not the same: the table ${table} has ${rows}.`);
}

/** Counts the events of each session while they are read in the order of sessions. */
async function refuseGaps({ kind, place, reader }: MoveTarget): Promise<void> {
  const last = new Map<number, number>();
  const order = { key: kind === 'postgres' ? ['session', 'number'] : ['seq'], after: undefined };
  for await (const rows of reader.batches({ name: 'events' }, ['session', 'number'], order))
    for (const { session, number } of rows) {
      if (number !== (last.get(Number(session)) ?? 0) + 1) throw gap(place, Number(session), Number(number));
      last.set(Number(session), Number(number));
    }
  const sessions = { key: ['seq'], after: undefined };
  for await (const rows of reader.batches({ name: 'sessions' }, ['last_event'], sessions))
    for (const { seq, last_event: end } of rows)
      if ((last.get(Number(seq)) ?? 0) !== end) throw gap(place, Number(seq), Number(end));
}

function gap(place: string, session: number, number: number): StoreError {
  return new StoreError(
    'corrupt',
    `The events of session ${session} (seq) in ${place} have a gap before number ${number}, as in the source.`,
  );
}
