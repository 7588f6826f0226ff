import { chmodSync, copyFileSync, existsSync, linkSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Store, StoreError } from '@plugboard/store';
import { openSqlite } from '@plugboard/store/sqlite';
import { CommandFailure } from '../failure.ts';
import type { CopiedMedia, OnProgress } from './media-copy.ts';
import { keepMedia, type StagedMedia, stageMedia } from './restore-media.ts';
import { stagingIn } from './staging.ts';

/** What became of what was there, and of what was under way when the copy was made. */
export interface Restored {
  readonly kept: string | undefined;
  readonly keptMedia: string | undefined;
  readonly dropped: number;
  readonly expired: number;
  /** Undefined when files were left out. */
  readonly media: CopiedMedia | undefined;
}

export interface RestoreOptions {
  readonly file: string;
  readonly target: string;
  /** Where files belong. */
  readonly directory: string;
  readonly withMedia: boolean;
  /** What is there is kept beside and replaced. */
  readonly force: boolean;
  readonly onProgress: OnProgress;
  readonly now: Date;
}

/**
 * Puts a copy in the place of a store that nobody has open. It is proved and prepared beside it, and takes its place as a
 * whole: whatever goes wrong before that has changed nothing. Files go to their place before the store does, where nobody
 * looks at them until it has.
 */
export async function restoreStore(options: RestoreOptions): Promise<Restored> {
  const { file, target, directory, withMedia, onProgress } = options;
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  const beside = stagingIn(dirname(target), 'restore');
  const copy = join(beside, 'copy.db');
  let staged: StagedMedia | undefined;
  try {
    copyFileSync(file, copy);
    chmodSync(copy, 0o600);
    const calmed = await named(file, copy, () => prove(copy));
    staged = withMedia ? await stageMedia(file, copy, directory, onProgress) : undefined;
    const kept = await replace(copy, staged, options);
    return { ...kept, ...calmed, media: staged?.copied };
  } finally {
    rmSync(beside, { recursive: true, force: true });
    staged?.clear();
  }
}

/** From here on little can go wrong, and what does is undone. */
async function replace(
  copy: string,
  staged: StagedMedia | undefined,
  { target, directory, force, now }: RestoreOptions,
): Promise<Pick<Restored, 'kept' | 'keptMedia'>> {
  const stamp = now.toISOString().replace(/[-:]|\.\d+/g, '');
  const isThere = existsSync(target);
  if (isThere && !force) throw taken(target);
  if (isThere) await settle(target);
  const keptMedia = isThere ? keepMedia(directory, stamp) : undefined;
  let undo = (): void => {};
  try {
    undo = staged?.place() ?? undo;
    const kept = isThere ? putAside(target, stamp) : undefined;
    takePlace(copy, target, kept);
    return { kept, keptMedia };
  } catch (error) {
    undo();
    if (keptMedia !== undefined) rmSync(keptMedia, { recursive: true, force: true });
    throw error;
  }
}

type Calmed = Pick<Restored, 'dropped' | 'expired'>;

/** A file that is no store of ours, or is damaged, must not take the place of one. */
async function prove(copy: string): Promise<Calmed> {
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
async function calm(copy: string): Promise<Calmed> {
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

/**
 * Gives what is there another name, with what belongs to it. The file itself keeps its own as well, until the copy takes
 * it: there is no moment without a store.
 */
function putAside(target: string, stamp: string): string {
  const kept = `${target}.before-${stamp}`;
  if (existsSync(kept)) throw new CommandFailure(`${kept} is there already.`, 1);
  for (const suffix of ['-wal', '-shm'])
    if (existsSync(`${target}${suffix}`)) renameSync(`${target}${suffix}`, `${kept}${suffix}`);
  try {
    linkSync(target, kept);
  } catch {
    renameSync(target, kept);
  }
  return kept;
}

/** Where there was nothing, nothing is replaced: of several who restore at once, one has it. */
function takePlace(copy: string, target: string, kept: string | undefined): void {
  try {
    if (kept === undefined) linkSync(copy, target);
    else renameSync(copy, target);
  } catch (error) {
    if (kept !== undefined) giveBack(kept, target);
    throw isTaken(error) ? taken(target) : error;
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

/** What whoever did not say that it may be replaced is told. */
export function taken(target: string): CommandFailure {
  return new CommandFailure(`${target} is there already. With --force it is kept beside and replaced.`);
}

function giveBack(kept: string, target: string): void {
  for (const suffix of ['-wal', '-shm', ''])
    if (existsSync(`${kept}${suffix}`)) renameSync(`${kept}${suffix}`, `${target}${suffix}`);
  // To move a file onto another name of its own does nothing.
  rmSync(kept, { force: true });
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
