import { type Stats, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { type Store, StoreError } from '@plugboard/store';
import { openSqlite } from '@plugboard/store/sqlite';
import { CommandFailure } from '../failure.ts';
import { isSystemError } from '../system-problem.ts';

/** What was under way when a copy was made, and is not any more. */
export interface Calmed {
  /** Messages that waited, and are not asked again. */
  readonly dropped: number;
  /** Answers that were to be sent, and are not. */
  readonly expired: number;
}

const ADVICE = 'Name a file that plugboard db backup has made.';

/** What cannot be a copy of ours is told by what it is. */
export function refuseOther(file: string): void {
  const there = found(file);
  if (there === undefined) throw new CommandFailure(`There is no file ${file}. ${ADVICE}`);
  if (there.isDirectory()) throw new CommandFailure(`${file} is a folder. ${ADVICE}`);
  if (!there.isFile()) throw new CommandFailure(`${file} is not a file. ${ADVICE}`);
}

/** Undefined when there is nothing of that name, nor can be. */
function found(file: string): Stats | undefined {
  try {
    return statSync(file);
  } catch (error) {
    if (isSystemError(error) && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return undefined;
    throw error;
  }
}

/** Lets a copy be restored: it is a store of ours and whole, and asks and sends nothing by itself. */
export async function prove(file: string, copy: string): Promise<Calmed> {
  try {
    // Opened as a store, it would become one.
    if (isEmpty(copy)) throw new StoreError('foreign', '');
    const calmed = await calm(copy);
    refuseDamaged(copy);
    return calmed;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error.code !== 'foreign') throw new CommandFailure(error.message.replaceAll(copy, file), 1);
    throw new CommandFailure(`${file} is not a backup of Plugboard. ${ADVICE}`);
  }
}

/** What cannot be read is left to whoever can say why. */
function isEmpty(copy: string): boolean {
  try {
    return firstOf(copy, 'select 1 from sqlite_schema') === undefined;
  } catch {
    return false;
  }
}

function refuseDamaged(copy: string): void {
  const verdict = firstOf(copy, 'pragma quick_check(1)')?.quick_check;
  if (verdict !== 'ok') throw new StoreError('corrupt', `The file ${copy} is damaged: ${String(verdict)}`);
}

function firstOf(copy: string, sql: string): Record<string, unknown> | undefined {
  const database = new DatabaseSync(copy, { readOnly: true });
  try {
    return database.prepare(sql).get();
  } finally {
    database.close();
  }
}

const CENTURY_MS = 100 * 365 * 86_400_000;

/** What was about to be asked or sent when the copy was made may have been since, and must not be once more. */
async function calm(copy: string): Promise<Calmed> {
  let ahead = 0;
  const store = openSqlite(copy, { clock: () => Date.now() + ahead, copy: true });
  try {
    let dropped = 0;
    for await (const { id, waiting } of allSessions(store))
      if (waiting > 0) dropped += await store.inbox.dropWaiting(id);
    // So late that every delivery is past its time.
    ahead = CENTURY_MS;
    return { dropped, expired: await store.outbox.expire() };
  } finally {
    await store.close();
  }
}

async function* allSessions(store: Store) {
  const limit = 200;
  let page = await store.sessions.list({ limit });
  while (page.length > 0) {
    yield* page;
    const last = page.at(-1);
    page = last === undefined ? [] : await store.sessions.list({ limit, before: last });
  }
}
