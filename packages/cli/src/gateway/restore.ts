import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Store, StoreError } from '@plugboard/store';
import { openSqlite } from '@plugboard/store/sqlite';
import { CommandFailure } from '../failure.ts';

/** What became of what was there, and of what was under way when the copy was made. */
export interface Restored {
  readonly kept: string | undefined;
  readonly dropped: number;
  readonly expired: number;
}

/**
 * Puts a copy in the place of a store that nobody has open. It is proved and prepared beside it, and takes its place as a
 * whole: whatever goes wrong before that has changed nothing.
 */
export async function restoreStore(file: string, target: string, now: Date): Promise<Restored> {
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  const beside = mkdtempSync(join(dirname(target), '.restore-'));
  const copy = join(beside, 'copy.db');
  try {
    copyFileSync(file, copy);
    chmodSync(copy, 0o600);
    const calmed = await named(file, copy, () => prove(copy));
    const kept = await putAside(target, now);
    renameSync(copy, target);
    return { kept, ...calmed };
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
}

/** A file that is no store of ours, or is damaged, must not take the place of one. */
async function prove(copy: string): Promise<Omit<Restored, 'kept'>> {
  const calmed = await calm(copy);
  const database = new DatabaseSync(copy, { readOnly: true });
  try {
    const { quick_check: verdict } = database.prepare('pragma quick_check(1)').get() ?? {};
    if (verdict !== 'ok') throw new StoreError('corrupt', `The file ${copy} is damaged: ${String(verdict)}`);
  } finally {
    database.close();
  }
  return calmed;
}

const CENTURY_MS = 100 * 365 * 86_400_000;

/** What was about to be asked or sent when the copy was made may have been since, and must not be once more. */
async function calm(copy: string): Promise<Omit<Restored, 'kept'>> {
  let ahead = 0;
  const store = openSqlite(copy, { clock: () => Date.now() + ahead });
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

/** Moves what is there to another name, with what belongs to it. */
async function putAside(target: string, now: Date): Promise<string | undefined> {
  if (!existsSync(target)) return undefined;
  await settle(target);
  const kept = `${target}.before-${now.toISOString().replace(/[-:]|\.\d+/g, '')}`;
  if (existsSync(kept)) throw new CommandFailure(`${kept} is there already.`, 1);
  for (const suffix of ['-wal', '-shm', ''])
    if (existsSync(`${target}${suffix}`)) renameSync(`${target}${suffix}`, `${kept}${suffix}`);
  return kept;
}

/** Opened and closed: nobody else has it, and what was in its log is in the file. One that is damaged is kept as it is. */
async function settle(target: string): Promise<void> {
  try {
    await openSqlite(target, { clock: Date.now }).close();
  } catch (error) {
    if (error instanceof StoreError && error.code === 'in-use') throw new CommandFailure(error.message, 1);
  }
}

/** People know the file by the name they gave. */
async function named<T>(file: string, copy: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new CommandFailure(error.message.replaceAll(copy, file), 1);
  }
}
