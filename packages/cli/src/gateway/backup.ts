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
import { isDirectory } from '@plugboard/host';
import { CommandFailure } from '../failure.ts';
import { reasonFor } from '../system-problem.ts';
import { type CopiedMedia, copyMedia, mediaBeside, mediaIn, type OnProgress, sync } from './media-copy.ts';
import { named } from './named.ts';
import { stagingIn } from './staging.ts';
import { writeSums } from './sums.ts';

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
  refusePlace(dirname(file));
  refuseFolder(file);
  for (const taken of media === undefined ? [file] : [file, place]) refuseTaken(taken);
  const beside = makeBeside(file);
  const copy = join(beside, 'copy.db');
  try {
    await named(file, copy, () => copyStore(copy));
    const { size: bytes } = statSync(copy);
    if (media === undefined) {
      settle(copy, file);
      return { bytes, media: undefined };
    }
    const folder = join(beside, 'media');
    mkdirSync(folder, { mode: 0o700 });
    const copied = await copyMedia(media, folder, mediaIn(copy), onProgress);
    await describe(folder, copied);
    refuseTaken(place);
    renameSync(folder, place);
    settleWith(place, copy, file);
    return { bytes, media: copied };
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
}

/** A folder of files says of itself what is in it, and what is not. */
async function describe(folder: string, { sums, missing }: CopiedMedia): Promise<void> {
  writeSums(folder, sums);
  if (missing.length > 0) writeFileSync(join(folder, MISSING), `${missing.join('\n')}\n`);
  await sync(folder);
}

/**
 * A link that leads nowhere is refused as well. Somebody has made it to say where the copy is to be, on a disk that is not
 * there now, perhaps: to put a file in the place of the link would undo that, and to follow it would write who knows where.
 */
function refuseTaken(path: string): void {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there === undefined) return;
  if (there.isSymbolicLink() && !existsSync(path))
    throw new CommandFailure(`${path} is a link to something that is not there; name a new file.`);
  throw new CommandFailure(`${path} is there already; name a new file.`);
}

function refuseFolder(path: string): void {
  if (isDirectory(path))
    throw new CommandFailure(`${path} is a folder; name a new file in it, such as ${join(path, 'copy.db')}.`);
}

function refusePlace(directory: string): void {
  if (!existsSync(directory))
    throw new CommandFailure(`The folder ${directory} does not exist. Make it, or name a file elsewhere.`);
  if (!isDirectory(directory))
    throw new CommandFailure(`${directory} is not a folder: no file can be in it. Name one elsewhere.`);
}

function makeBeside(file: string): string {
  const directory = dirname(file);
  try {
    return stagingIn(directory, 'backup');
  } catch (error) {
    const why = `Nothing can be written into ${directory}: ${reasonFor(error)}`;
    throw new CommandFailure(`${why}. Name a file elsewhere.`, 1);
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
