import { type Stats, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { StoreError } from '../../../contract/errors.ts';
import type { Session } from '../../../contract/records.ts';
import type { Store } from '../../../contract/store.ts';
import { openSqlite } from '../open.ts';
import { BackupError } from './backup-error.ts';
import { renameInError } from './staging.ts';

/** The work of a backup that `restoreStore` has cancelled: it may have been done since the backup was made. */
export interface Cancelled {
  /** Messages that waited for a turn, and are dropped. */
  readonly dropped: number;
  /** Deliveries that were pending, and are expired. */
  readonly expired: number;
}

/** Refuses a path that is not a regular file. */
export function refuseOtherThanFile(file: string): void {
  const found = statsOf(file);
  if (found === undefined) throw new BackupError('not-found', file, `There is no file ${file}.`);
  if (found.isDirectory()) throw new BackupError('is-directory', file, `${file} is a folder.`);
  if (!found.isFile()) throw new BackupError('not-a-file', file, `${file} is not a file.`);
}

function statsOf(file: string): Stats | undefined {
  try {
    return statSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Migrates the staged `copy` of `file`, cancels its waiting work, and runs `pragma quick_check` on the result. */
export async function prepareCopy(file: string, copy: string, clock: () => number): Promise<Cancelled> {
  try {
    // `openSqlite` would turn an empty database into a new store.
    if (isEmpty(copy)) throw new StoreError('foreign', '');
    const cancelled = await cancelWork(copy, clock);
    refuseDamaged(copy);
    return cancelled;
  } catch (error) {
    if (error instanceof StoreError && error.code === 'foreign')
      throw new BackupError('not-a-backup', file, `${file} is not a backup of Plugboard.`, error);
    throw renameInError(error, copy, file);
  }
}

/** False for an unreadable file too: `openSqlite` then rejects with the reason. */
function isEmpty(copy: string): boolean {
  try {
    return queryFirst(copy, 'select 1 from sqlite_schema') === undefined;
  } catch {
    return false;
  }
}

function refuseDamaged(copy: string): void {
  const verdict = queryFirst(copy, 'pragma quick_check(1)')?.quick_check;
  if (verdict !== 'ok') throw new StoreError('corrupt', `The file ${copy} is damaged: ${String(verdict)}`);
}

function queryFirst(copy: string, sql: string): Record<string, unknown> | undefined {
  const database = new DatabaseSync(copy, { readOnly: true });
  try {
    return database.prepare(sql).get();
  } finally {
    database.close();
  }
}

const CENTURY_MS = 100 * 365 * 86_400_000;

async function cancelWork(copy: string, clock: () => number): Promise<Cancelled> {
  let ahead = 0;
  const store = openSqlite(copy, { clock: () => clock() + ahead, copy: true });
  try {
    let dropped = 0;
    for await (const { id, waiting } of allSessions(store))
      if (waiting > 0) dropped += await store.inbox.dropWaiting(id);
    // `expire` marks the deliveries whose `expiresAt` is over: in 100 years, all of them.
    ahead = CENTURY_MS;
    return { dropped, expired: await store.outbox.expire() };
  } finally {
    await store.close();
  }
}

async function* allSessions(store: Store): AsyncGenerator<Session> {
  const limit = 200;
  let page = await store.sessions.list({ limit });
  while (page.length > 0) {
    yield* page;
    const last = page.at(-1);
    page = last === undefined ? [] : await store.sessions.list({ limit, before: last });
  }
}
