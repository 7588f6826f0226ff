import { lstatSync } from 'node:fs';
import { chmod, constants, copyFile, open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { CommandFailure } from '../failure.ts';
import { type Sums, sumOf } from './sums.ts';

/** A file that a store says is there. */
export interface MediaFile {
  readonly file: string;
  readonly size: number;
}

/** What was copied. */
export interface CopiedMedia {
  readonly files: number;
  readonly bytes: number;
  /** Those that were not where they were looked for, or not whole. */
  readonly missing: readonly string[];
  readonly sums: Sums;
}

export type OnProgress = (done: {
  readonly files: number;
  readonly of: number;
  readonly bytes: number;
}) => void;

/** Where the files of a copy lie: beside it, so that both are found, moved and deleted together. */
export function mediaBeside(file: string): string {
  return `${file}.media`;
}

/** The files that belong to a store which nobody has open. It is read as it lies there: nothing appears beside it. */
export function mediaIn(store: string): readonly MediaFile[] {
  const url = pathToFileURL(store);
  url.search = 'immutable=1';
  const database = new DatabaseSync(url, { readOnly: true });
  try {
    const found = database.prepare('select file, size from media').all();
    return found.map(({ file, size }) => ({ file: plainName(String(file), store), size: Number(size) }));
  } finally {
    database.close();
  }
}

/** A name that leads elsewhere would let a copy write anywhere. */
function plainName(name: string, store: string): string {
  if (basename(name) === name && name !== '' && !name.startsWith('.')) return name;
  throw new CommandFailure(
    `${store} names a file that cannot be one of its own: ${JSON.stringify(name)}.`,
    1,
  );
}

/**
 * Copies files into a directory that is empty, each of them to the disk. They are copies and not links: what happens to
 * the one must not happen to the other; where the file system can share the blocks until then, it does.
 */
export async function copyMedia(
  from: string,
  to: string,
  media: readonly MediaFile[],
  onProgress: OnProgress,
): Promise<CopiedMedia> {
  const missing: string[] = [];
  const sums = new Map<string, string>();
  let files = 0;
  let bytes = 0;
  for (const { file, size } of media) {
    if (sizeOf(join(from, file)) === size && (await copyOne(join(from, file), join(to, file)))) {
      // Of the copy: that is what is kept.
      sums.set(file, await sumOf(join(to, file)));
      files += 1;
      bytes += size;
      onProgress({ files, of: media.length, bytes });
    } else missing.push(file);
  }
  await sync(to);
  return { files, bytes, missing, sums };
}

/** Undefined when there is no file of that name; what is a link is none. */
function sizeOf(path: string): number | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() ? found.size : undefined;
}

/** False when it has been forgotten in this very moment. */
async function copyOne(from: string, to: string): Promise<boolean> {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  await chmod(to, 0o600);
  await sync(to);
  return true;
}

/** Waits until a file, or what a directory says, is on the disk. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
