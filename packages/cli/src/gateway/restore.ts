import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { makeDirectory } from '@plugboard/host';
import { StoreError } from '@plugboard/store';
import { openSqlite } from '@plugboard/store/sqlite';
import { CommandFailure } from '../failure.ts';
import type { CopiedMedia, OnProgress } from './media-copy.ts';
import { type Calmed, prove } from './proof.ts';
import { keepMedia, type StagedMedia, stageMedia } from './restore-media.ts';
import { stagingIn } from './staging.ts';

/** What became of what was there, and of what was under way when the copy was made. */
export interface Restored extends Calmed {
  readonly kept: string | undefined;
  readonly keptMedia: string | undefined;
  /** Undefined when files were left out. */
  readonly media: RestoredMedia | undefined;
}

/** Files that were restored, and whether the copy could tell that they are what they were. */
interface RestoredMedia extends CopiedMedia {
  readonly checked: boolean;
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
  const target = realTarget(options.target);
  const unmake = makeDirectory(dirname(target));
  try {
    return await restoreBeside({ ...options, target });
  } catch (error) {
    unmake();
    throw error;
  }
}

async function restoreBeside(options: RestoreOptions): Promise<Restored> {
  const { file, target, directory, withMedia, onProgress } = options;
  const beside = stagingIn(dirname(target), 'restore');
  const copy = join(beside, 'copy.db');
  let staged: StagedMedia | undefined;
  let done = false;
  try {
    copyFileSync(file, copy);
    chmodSync(copy, 0o600);
    const calmed = await prove(file, copy);
    staged = withMedia ? await stageMedia(file, copy, directory, onProgress) : undefined;
    const kept = await replace(copy, staged, options);
    done = true;
    return { ...kept, ...calmed, media: staged && { ...staged.copied, checked: staged.checked } };
  } finally {
    rmSync(beside, { recursive: true, force: true });
    staged?.clear();
    if (!done) staged?.unmake();
  }
}

/** A store may lie elsewhere, and be named by a link: it is replaced where it lies. */
function realTarget(target: string): string {
  if (existsSync(target)) return realpathSync(target);
  if (lstatSync(target, { throwIfNoEntry: false }) === undefined) return target;
  throw new CommandFailure(
    `${target} is a link to something that is not there. Bring that back, or remove the link.`,
  );
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
