import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { reasonOf } from '@plugboard/protocol';
import { makePrivate } from '../private-directory.ts';
import { MediaUnavailableError } from './media-error.ts';
import type { ListedFile, MediaFiles } from './media-files.ts';
import { PART, writeFile } from './write.ts';

export interface DirectoryOptions {
  readonly directory: string;
  /**
   * The directory of one gateway is made, and closed to others. A directory that the operator names is not: where the
   * file system of several machines is not mounted, files would be stored beside it.
   */
  readonly isOwn: boolean;
}

export function createDirectoryFiles({ directory, isOwn }: DirectoryOptions): MediaFiles {
  if (isOwn) makePrivate(directory);
  const explain = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw explainDirectory(directory, error);
    }
  };
  const put: MediaFiles['put'] = async (name, bytes) => {
    if (isOwn) makePrivate(directory);
    const source = createSource(bytes);
    try {
      await writeFile(join(directory, name), source.bytes);
    } catch (error) {
      throw source.failed ? error : explainDirectory(directory, error);
    }
  };
  const remove: MediaFiles['remove'] = (name) => explain(() => rm(join(directory, name), { force: true }));
  return {
    place: directory,
    directory,
    put,
    async open(name, range) {
      const file = await explain(() => openIfThere(join(directory, name)));
      return file?.createReadStream(range ?? {});
    },
    remove,
    list: () => listDirectory(directory, explain),
    async check() {
      const name = `check-${randomBytes(9).toString('base64url')}`;
      const body = Buffer.from(name);
      await put(name, piecesOf(body));
      const found = await explain(() => readFile(join(directory, name)));
      await remove(name);
      if (!found.equals(body))
        throw new MediaUnavailableError(
          `The media directory ${directory} gives back other bytes than it was given.`,
        );
    },
  };
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Notes whether an error came from `bytes`: those are thrown as they are. */
function createSource(bytes: AsyncIterable<Uint8Array>): {
  bytes: AsyncIterable<Uint8Array>;
  failed: boolean;
} {
  const source = { bytes: read(), failed: false };
  return source;

  async function* read(): AsyncGenerator<Uint8Array> {
    const pieces = bytes[Symbol.asyncIterator]();
    try {
      for (;;) {
        const piece = await pieces.next().catch((error: unknown) => {
          source.failed = true;
          throw error;
        });
        if (piece.done === true) return;
        yield piece.value;
      }
    } finally {
      await pieces.return?.();
    }
  }
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

async function* listDirectory(
  directory: string,
  explain: <T>(work: () => Promise<T>) => Promise<T>,
): AsyncGenerator<ListedFile> {
  for (const name of await explain(() => readdir(directory))) {
    const found = await stat(join(directory, name)).catch(() => undefined);
    if (found?.isFile() === true) yield { name, at: found.mtimeMs, isPartial: name.endsWith(PART) };
  }
}

function explainDirectory(directory: string, error: unknown): MediaUnavailableError {
  if (isMissing(error))
    return new MediaUnavailableError(
      `There is no media directory ${directory}: mount it, make it, or correct media.directory.`,
      error,
    );
  return new MediaUnavailableError(
    `The media directory ${directory} cannot be used: ${reasonOf(error)}`,
    error,
  );
}
