import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { MISSING } from './back-up.ts';
import { BackupError } from './backup-error.ts';
import {
  type CopiedMedia,
  copyMedia,
  type MediaFile,
  mediaDirectoryOf,
  type OnProgress,
  readChecksums,
  readMediaFiles,
} from './media-copy.ts';
import { makeDirectory, makeStaging } from './staging.ts';

/** The media of a backup, copied and checked in a staging directory. */
export interface StagedMedia {
  readonly copied: CopiedMedia;
  /** Whether the backup has checksums to check the media against. */
  readonly checked: boolean;
  /** Moves the files into the media directory; returns a function that removes them again. */
  place(): () => void;
  /** Removes the staging directory. */
  clear(): void;
  /** Removes the media directory, if it was made here and is empty. */
  removeDirectory(): void;
}

/**
 * Copies the media of the backup `file` into a staging directory, and checks them. Rejects with `media-missing` or
 * `media-changed`. The staging directory is inside `directory`, which can be on another disk than the store.
 */
export async function stageMedia(
  file: string,
  store: string,
  directory: string,
  onProgress: OnProgress,
): Promise<StagedMedia> {
  const from = mediaDirectoryOf(file);
  const media = readMediaFiles(store);
  if (media.length > 0 && !existsSync(from)) throw mediaMissing(`${from} is not there`, file, media.length);
  const removeDirectory = makeDirectory(directory);
  try {
    const staging = makeStaging(directory, 'restore-media');
    const clear = (): void => rmSync(staging, { recursive: true, force: true });
    const filled = await fillStaging(staging, file, media, onProgress).catch((error) => {
      clear();
      throw error;
    });
    return { ...filled, place: () => placeFiles(staging, directory), clear, removeDirectory };
  } catch (error) {
    removeDirectory();
    throw error;
  }
}

async function fillStaging(
  staging: string,
  file: string,
  media: readonly MediaFile[],
  onProgress: OnProgress,
): Promise<Pick<StagedMedia, 'copied' | 'checked'>> {
  const copied = await copyMedia(mediaDirectoryOf(file), staging, media, onProgress);
  refuseMissing(file, copied);
  return { copied, checked: refuseChanged(file, copied) };
}

/** Media that `backUp` listed in `missing.txt` may be absent. */
function refuseMissing(file: string, { missing }: CopiedMedia): void {
  const from = mediaDirectoryOf(file);
  const excused = readMissing(from);
  const lost = missing.filter((name) => !excused.has(name));
  if (lost.length > 0) throw mediaMissing(`${lost[0]} is not in ${from}, or not whole`, file, lost.length);
}

/** Compares checksums. False when the backup has none. A file of `missing.txt` that a person added later has no checksum. */
function refuseChanged(file: string, { checksums }: CopiedMedia): boolean {
  const from = mediaDirectoryOf(file);
  const expected = readChecksums(from);
  if (expected === undefined) return checksums.size === 0;
  const excused = readMissing(from);
  const changed = [...checksums.keys()].filter((name) =>
    expected.has(name) ? expected.get(name) !== checksums.get(name) : !excused.has(name),
  );
  if (changed.length === 0) return true;
  const more = changed.length === 1 ? '' : `, and so were ${changed.length - 1} more`;
  const words = `${changed[0]} in ${from} was changed or damaged since it was copied${more}.`;
  throw new BackupError('media-changed', from, words);
}

function mediaMissing(reason: string, file: string, count: number): BackupError {
  const files = `${count} ${count === 1 ? 'file belongs' : 'files belong'} to ${file} and cannot be had`;
  return new BackupError('media-missing', mediaDirectoryOf(file), `${reason}: ${files}.`);
}

function readMissing(directory: string): ReadonlySet<string> {
  const list = join(directory, MISSING);
  return new Set(existsSync(list) ? readFileSync(list, 'utf8').trim().split('\n') : []);
}

function placeFiles(staging: string, directory: string): () => void {
  const added: string[] = [];
  const removeAdded = (): void => {
    for (const path of added) rmSync(path, { force: true });
  };
  try {
    for (const name of readdirSync(staging)) {
      const path = join(directory, name);
      if (!existsSync(path)) added.push(path);
      renameSync(join(staging, name), path);
    }
    return removeAdded;
  } catch (error) {
    removeAdded();
    throw error;
  }
}

/**
 * Links the present media into `directory.before-STAMP`, for the store that is replaced: the gateway removes media that the
 * restored store does not know. Returns the new directory; undefined when there are no media.
 */
export function keepMedia(directory: string, stamp: string): string | undefined {
  const files = existsSync(directory) ? readdirSync(directory, { withFileTypes: true }) : [];
  const names = files.filter((one) => one.isFile()).map(({ name }) => name);
  if (names.length === 0) return undefined;
  const kept = `${directory}.before-${stamp}`;
  if (existsSync(kept)) throw new BackupError('kept-exists', kept, `${kept} is there already.`);
  mkdirSync(kept, { mode: 0o700 });
  try {
    for (const name of names) linkOrCopy(join(directory, name), join(kept, name));
    return kept;
  } catch (error) {
    rmSync(kept, { recursive: true, force: true });
    throw error;
  }
}

/** A hard link is enough: media files are never written to after they were added. */
function linkOrCopy(path: string, other: string): void {
  try {
    linkSync(path, other);
  } catch {
    copyFileSync(path, other);
  }
}
