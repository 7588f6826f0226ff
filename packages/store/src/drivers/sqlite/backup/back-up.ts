import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { BackupError } from './backup-error.ts';
import {
  type CopiedMedia,
  copyMedia,
  mediaDirectoryOf,
  type OnProgress,
  readMediaFiles,
  syncPath,
  writeChecksums,
} from './media-copy.ts';
import { hideStaging, isDirectory, makeStaging, renameInError } from './staging.ts';

/** The result of `backUp`. */
export interface BackedUp {
  /** Size of the copied database. */
  readonly bytes: number;
  /** Undefined when `BackupOptions.media` was. */
  readonly media: CopiedMedia | undefined;
}

export interface BackupOptions {
  /** Copies the store into a new file, as `Store.backup` does, in this process or in the one that has the store open. */
  readonly copyStore: (file: string) => Promise<void>;
  /** The media directory of the store; undefined leaves media out. */
  readonly media: string | undefined;
  readonly onProgress: OnProgress;
}

/** Lists the media files that were gone when the backup was made: `restoreStore` does not require them. */
export const MISSING = 'missing.txt';

/**
 * Backs up a store into the new file `file`, and its media into `file.media`. The database is copied first and says which
 * media belong to it: later media are left out, and media removed meanwhile are listed in `missing.txt`. Both are made in a
 * staging directory, and `file` gets its name last: a `file` that exists is complete. Rejects with a `BackupError`, a
 * `StoreError` or the error of the file system, and has then left no file behind.
 */
export async function backUp(file: string, options: BackupOptions): Promise<BackedUp> {
  const { media } = options;
  const place = mediaDirectoryOf(file);
  refuseDirectory(file);
  for (const path of media === undefined ? [file] : [file, place]) refuseTaken(path);
  const staging = stageBackup(dirname(file));
  const copy = join(staging, 'copy.db');
  try {
    await options.copyStore(copy);
    const { size: bytes } = statSync(copy);
    if (media === undefined) {
      giveName(copy, file);
      return { bytes, media };
    }
    const copied = await stageMediaOf(copy, join(staging, 'media'), media, options.onProgress);
    refuseTaken(place);
    renameSync(join(staging, 'media'), place);
    giveNameWithMedia(copy, file);
    return { bytes, media: copied };
  } catch (error) {
    throw hideStaging(renameInError(error, copy, file));
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Copies the media of the database `copy` into the new directory `to`, with `SHA256SUMS` and `missing.txt`. */
async function stageMediaOf(
  copy: string,
  to: string,
  media: string,
  onProgress: OnProgress,
): Promise<CopiedMedia> {
  mkdirSync(to, { mode: 0o700 });
  const copied = await copyMedia(media, to, readMediaFiles(copy), onProgress);
  writeChecksums(to, copied.checksums);
  if (copied.missing.length > 0) writeFileSync(join(to, MISSING), `${copied.missing.join('\n')}\n`);
  await syncPath(to);
  return copied;
}

/** A broken link is refused too: it may lead to a disk that is not mounted, and must be neither replaced nor followed. */
function refuseTaken(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (found.isSymbolicLink() && !existsSync(path))
    throw new BackupError('broken-link', path, `${path} is a link to something that is not there.`);
  throw new BackupError('exists', path, `${path} is there already.`);
}

function refuseDirectory(file: string): void {
  const directory = dirname(file);
  if (!existsSync(directory))
    throw new BackupError('no-directory', directory, `The folder ${directory} does not exist.`);
  if (!isDirectory(directory))
    throw new BackupError(
      'not-a-directory',
      directory,
      `${directory} is not a folder: no file can be in it.`,
    );
  if (isDirectory(file)) throw new BackupError('is-directory', file, `${file} is a folder.`);
}

function stageBackup(directory: string): string {
  try {
    return makeStaging(directory, 'backup');
  } catch (error) {
    const words = `Nothing can be written into ${directory}.`;
    throw new BackupError('unwritable', directory, words, error);
  }
}

/** Removes the media directory again when the database cannot get its name. */
function giveNameWithMedia(copy: string, file: string): void {
  try {
    giveName(copy, file);
  } catch (error) {
    rmSync(mediaDirectoryOf(file), { recursive: true, force: true });
    throw error;
  }
}

/** `link` fails when `file` exists, where `rename` replaces it. A file system without hard links gets the `rename`. */
function giveName(copy: string, file: string): void {
  try {
    linkSync(copy, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') refuseTaken(file);
    renameSync(copy, file);
  }
}
