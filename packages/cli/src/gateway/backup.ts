import { existsSync, linkSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CommandFailure } from '../failure.ts';
import { type CopiedMedia, copyMedia, mediaBeside, mediaIn, type OnProgress } from './media-copy.ts';
import { stagingIn } from './staging.ts';

/** What was put into a copy. */
export interface BackedUp {
  readonly bytes: number;
  /** Undefined when files were left out. */
  readonly media: CopiedMedia | undefined;
}

export interface BackupOptions {
  /** Copies the store, as of one moment, into a new file. */
  readonly copyStore: (file: string) => Promise<void>;
  /** Where its files lie; undefined leaves them out. */
  readonly media: string | undefined;
  readonly onProgress: OnProgress;
}

/** Which files were gone when a copy was made: those that are not in it for this reason are not missed later. */
export const MISSING = 'missing.txt';

/**
 * Copies a store and its files. The store comes first and says which files belong to it: what is added after that is not
 * part of the copy, and what is forgotten after that is noted as missing. All of it is made beside its place, the store
 * appears last, and so a copy that is there is whole.
 */
export async function backUp(
  file: string,
  { copyStore, media, onProgress }: BackupOptions,
): Promise<BackedUp> {
  const place = mediaBeside(file);
  for (const taken of media === undefined ? [file] : [file, place]) refuseTaken(taken);
  const beside = makeBeside(file);
  const copy = join(beside, 'copy.db');
  try {
    await copyStore(copy);
    const { size: bytes } = statSync(copy);
    if (media === undefined) {
      settle(copy, file);
      return { bytes, media: undefined };
    }
    const folder = join(beside, 'media');
    mkdirSync(folder, { mode: 0o700 });
    const copied = await copyMedia(media, folder, mediaIn(copy), onProgress);
    if (copied.missing.length > 0) writeFileSync(join(folder, MISSING), `${copied.missing.join('\n')}\n`);
    renameSync(folder, place);
    settleWith(place, copy, file);
    return { bytes, media: copied };
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
}

function refuseTaken(path: string): void {
  if (existsSync(path)) throw new CommandFailure(`${path} is there already; name a new file.`);
}

function makeBeside(file: string): string {
  const directory = dirname(file);
  try {
    return stagingIn(directory, 'backup');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(`Nothing can be written into ${directory}: ${why}`, 1);
  }
}

/** Files without their store would only be in the way. */
function settleWith(place: string, copy: string, file: string): void {
  try {
    settle(copy, file);
  } catch (error) {
    rmSync(place, { recursive: true, force: true });
    throw error;
  }
}

/** Gives a file its name, unless another has it by now. Where a file cannot have two names, it is moved. */
function settle(copy: string, file: string): void {
  try {
    linkSync(copy, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') refuseTaken(file);
    renameSync(copy, file);
  }
}
