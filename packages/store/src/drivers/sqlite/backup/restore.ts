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
import { StoreError } from '../../../contract/errors.ts';
import { openSqlite } from '../open.ts';
import { BackupError } from './backup-error.ts';
import type { CopiedMedia, OnProgress } from './media-copy.ts';
import { type Cancelled, prepareCopy, refuseOtherThanFile } from './prepare-copy.ts';
import { keepMedia, type StagedMedia, stageMedia } from './restore-media.ts';
import { hideStaging, makeDirectory, makeStaging } from './staging.ts';

/** The result of `restoreStore`. */
export interface Restored extends Cancelled {
  /** The new name of the store that was replaced. */
  readonly kept: string | undefined;
  /** The directory that keeps the media of the replaced store. */
  readonly keptMedia: string | undefined;
  /** Undefined without `withMedia`. */
  readonly media: RestoredMedia | undefined;
}

/** Media of a backup. `checked` is false when the backup has no checksums. */
interface RestoredMedia extends CopiedMedia {
  readonly checked: boolean;
}

export interface RestoreOptions {
  /** The backup: a file that `backUp` has made. */
  readonly file: string;
  /** The store file to make or to replace. */
  readonly target: string;
  /** The media directory of `target`. */
  readonly directory: string;
  /** False leaves the media of the backup out. */
  readonly withMedia: boolean;
  /** Whether an existing `target` may be replaced. It is kept under another name. */
  readonly force: boolean;
  readonly onProgress: OnProgress;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/**
 * Puts a backup in the place of a store that no process has open. The copy is migrated, checked and relieved of waiting work
 * in a staging directory, and takes the name of the target in one step. Media are placed before that, where no store refers
 * to them yet. Rejects with a `BackupError`, a `StoreError` or the error of the file system, and has then changed nothing.
 */
export async function restoreStore(options: RestoreOptions): Promise<Restored> {
  refuseOtherThanFile(options.file);
  refuseTarget(options.target, options.force);
  const target = resolveTarget(options.target);
  const removeDirectory = makeDirectory(dirname(target));
  try {
    return await restoreStaged({ ...options, target });
  } catch (error) {
    removeDirectory();
    throw hideStaging(error);
  }
}

async function restoreStaged(options: RestoreOptions): Promise<Restored> {
  const { file, target, directory, withMedia, onProgress } = options;
  const staging = makeStaging(dirname(target), 'restore');
  const copy = join(staging, 'copy.db');
  let staged: StagedMedia | undefined;
  let isDone = false;
  try {
    copyFileSync(file, copy);
    chmodSync(copy, 0o600);
    const cancelled = await prepareCopy(file, copy, options.clock);
    staged = withMedia ? await stageMedia(file, copy, directory, onProgress) : undefined;
    const kept = await replaceStore(copy, staged, options);
    isDone = true;
    return { ...kept, ...cancelled, media: staged && { ...staged.copied, checked: staged.checked } };
  } finally {
    rmSync(staging, { recursive: true, force: true });
    staged?.clear();
    if (!isDone) staged?.removeDirectory();
  }
}

/** A target that is a symbolic link is replaced where the link leads. */
function resolveTarget(target: string): string {
  if (existsSync(target)) return realpathSync(target);
  if (lstatSync(target, { throwIfNoEntry: false }) === undefined) return target;
  throw new BackupError('broken-link', target, `${target} is a link to something that is not there.`);
}

const LOG_SUFFIXES = ['-wal', '-shm'];

/** Puts `copy` and its media in place. On failure the old store and its media are back, and the new media are removed. */
async function replaceStore(
  copy: string,
  staged: StagedMedia | undefined,
  { target, directory, force, clock }: RestoreOptions,
): Promise<Pick<Restored, 'kept' | 'keptMedia'>> {
  const stamp = new Date(clock()).toISOString().replace(/[-:]|\.\d+/g, '');
  refuseTarget(target, force);
  const isReplaced = existsSync(target);
  if (isReplaced) await mergeLog(target, clock);
  const keptMedia = isReplaced ? keepMedia(directory, stamp) : undefined;
  let removePlaced = (): void => {};
  try {
    removePlaced = staged?.place() ?? removePlaced;
    const kept = isReplaced ? keepStore(target, stamp) : undefined;
    giveTargetName(copy, target, kept);
    return { kept, keptMedia };
  } catch (error) {
    removePlaced();
    if (keptMedia !== undefined) rmSync(keptMedia, { recursive: true, force: true });
    throw error;
  }
}

/** Refuses an existing store unless `force` allows to replace it. */
function refuseTarget(target: string, force: boolean): void {
  if (existsSync(target) && !force) throw targetExists(target);
}

function targetExists(target: string): BackupError {
  return new BackupError('exists', target, `${target} is there already.`);
}

/**
 * Opens and closes the store: rejects with `in-use` when a process has it, and moves its WAL into the file. A damaged store
 * cannot be opened, and is kept as it is.
 */
async function mergeLog(target: string, clock: () => number): Promise<void> {
  try {
    await openSqlite(target, { clock }).close();
  } catch (error) {
    if (error instanceof StoreError && error.code === 'in-use') throw error;
  }
}

/** Links the store to a second name, so that `target` exists at every moment. Without hard links, it is renamed. */
function keepStore(target: string, stamp: string): string {
  const kept = `${target}.before-${stamp}`;
  if (existsSync(kept)) throw new BackupError('kept-exists', kept, `${kept} is there already.`);
  for (const suffix of LOG_SUFFIXES)
    if (existsSync(`${target}${suffix}`)) renameSync(`${target}${suffix}`, `${kept}${suffix}`);
  try {
    linkSync(target, kept);
  } catch {
    renameSync(target, kept);
  }
  return kept;
}

/** With no store to replace, `link` lets one of several processes that restore at once win: `rename` would let all. */
function giveTargetName(copy: string, target: string, kept: string | undefined): void {
  try {
    if (kept === undefined) linkSync(copy, target);
    else renameSync(copy, target);
  } catch (error) {
    if (kept !== undefined) returnKept(kept, target);
    const { code } = error as NodeJS.ErrnoException;
    throw code === 'EEXIST' ? targetExists(target) : error;
  }
}

function returnKept(kept: string, target: string): void {
  for (const suffix of [...LOG_SUFFIXES, ''])
    if (existsSync(`${kept}${suffix}`)) renameSync(`${kept}${suffix}`, `${target}${suffix}`);
  // `rename` between two hard links of one file leaves both.
  rmSync(kept, { force: true });
}
