import { Readable } from 'node:stream';
import { reasonOf } from '@plugboard/protocol';
import { type SmallFiles, StoreError } from '@plugboard/store';
import { MediaTooLargeError, MediaUnavailableError } from './media-error.ts';
import type { ListedFile, MediaFiles } from './media-files.ts';

/** The setting that names a place for larger files. */
const SETTING = 'media';

const PAGE = 500;

/** Files in the database of the store. */
export function createStoredFiles(files: SmallFiles): MediaFiles {
  return {
    place: 'the store',
    limit: { bytes: files.limit, setting: SETTING },
    async put(name, bytes) {
      const whole = await collect(bytes, files.limit);
      await explain(() => files.put(name, whole));
    },
    async open(name, range) {
      const found = await explain(() => files.read(name, range));
      return found === undefined ? undefined : Readable.from([Buffer.from(found)], { objectMode: false });
    },
    remove: (name) => explain(() => files.remove(name)),
    list: () => listFiles(files),
    // The check of the store covers it.
    async check() {},
  };
}

async function collect(bytes: AsyncIterable<Uint8Array>, limit: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of bytes) {
    size += piece.length;
    if (size > limit) throw new MediaTooLargeError(limit, SETTING);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

async function* listFiles(files: SmallFiles): AsyncGenerator<ListedFile> {
  for (let after = ''; ; ) {
    const page = await explain(() => files.list({ after, limit: PAGE }));
    for (const { name, at } of page) yield { name, at, isPartial: false };
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.name;
  }
}

async function explain<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new MediaUnavailableError(`The store cannot be used for files: ${reasonOf(error)}`, error);
  }
}
