import { createHash } from 'node:crypto';
import { createReadStream, existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { chmod, constants, copyFile, open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import { BackupError } from './backup-error.ts';

/** A media record of a store. */
export interface MediaFile {
  readonly file: string;
  readonly size: number;
}

/** The media files that `backUp` or `restoreStore` has copied. */
export interface CopiedMedia {
  readonly files: number;
  readonly bytes: number;
  /** Names in the store whose file was absent, or had another size than its record. */
  readonly missing: readonly string[];
  readonly checksums: Checksums;
}

/** Called after each media file: `files` of `of` are copied. */
export type OnProgress = (done: {
  readonly files: number;
  readonly of: number;
  readonly bytes: number;
}) => void;

/** The media directory of a backup. It stands beside the file, so that both are moved and deleted together. */
export function mediaDirectoryOf(file: string): string {
  return `${file}.media`;
}

/** The media records of a store that no process has open. `immutable=1` keeps SQLite from making `-wal` and `-shm` files. */
export function readMediaFiles(store: string): readonly MediaFile[] {
  const url = pathToFileURL(store);
  url.search = 'immutable=1';
  const database = new DatabaseSync(url, { readOnly: true });
  try {
    const found = database.prepare('select file, size from media').all();
    return found.map(({ file, size }) => ({ file: refuseForeign(String(file), store), size: Number(size) }));
  } finally {
    database.close();
  }
}

/** A crafted backup must not write outside of the media directory: only a plain file name is accepted. */
function refuseForeign(name: string, store: string): string {
  if (basename(name) === name && name !== '' && !name.startsWith('.')) return name;
  const words = `${store} names a file that cannot be one of its own: ${JSON.stringify(name)}.`;
  throw new BackupError('foreign-path', store, words);
}

/**
 * Copies media files into the empty directory `to` and syncs each. They are copies, not hard links, so that damage to a
 * file does not reach its backup; `COPYFILE_FICLONE` shares the blocks where the file system can.
 */
export async function copyMedia(
  from: string,
  to: string,
  media: readonly MediaFile[],
  onProgress: OnProgress,
): Promise<CopiedMedia> {
  const missing: string[] = [];
  const checksums = new Map<string, string>();
  let files = 0;
  let bytes = 0;
  for (const { file, size } of media) {
    if (sizeOf(join(from, file)) === size && (await copyOne(join(from, file), join(to, file)))) {
      // Of the copy, not the original, which can change in between.
      checksums.set(file, await checksumOf(join(to, file)));
      files += 1;
      bytes += size;
      onProgress({ files, of: media.length, bytes });
    } else missing.push(file);
  }
  await syncPath(to);
  return { files, bytes, missing, checksums };
}

/** Undefined for symbolic links too: a link could lead to a file outside of the media directory. */
function sizeOf(path: string): number | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() ? found.size : undefined;
}

/** False when the gateway removed the file after `sizeOf` (`Sessions.forget`). */
async function copyOne(from: string, to: string): Promise<boolean> {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  await chmod(to, 0o600);
  await syncPath(to);
  return true;
}

/** Runs `fsync` on a file or a directory. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The format of `sha256sum`, which can check a backup with `-c`. */
const CHECKSUMS = 'SHA256SUMS';

/** SHA-256 in hexadecimal by file name. */
export type Checksums = ReadonlyMap<string, string>;

/** Streams the file: media can be larger than our memory. */
async function checksumOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** Writes `SHA256SUMS` into a media directory of a backup. */
export function writeChecksums(directory: string, checksums: Checksums): void {
  const lines = [...checksums].map(([name, sum]) => `${sum}  ${name}\n`);
  writeFileSync(join(directory, CHECKSUMS), lines.join(''), { mode: 0o600, flush: true });
}

/** Undefined when the directory has no `SHA256SUMS`, as backups of older versions. Malformed lines are skipped. */
export function readChecksums(directory: string): Checksums | undefined {
  const file = join(directory, CHECKSUMS);
  if (!existsSync(file)) return undefined;
  const lines = readFileSync(file, 'utf8').split('\n');
  const found = lines.map((line) => /^([0-9a-f]{64}) [ *](.+)$/.exec(line));
  return new Map(found.flatMap((match) => (match === null ? [] : [[match[2] ?? '', match[1] ?? '']])));
}
