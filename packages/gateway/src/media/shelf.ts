import { randomBytes } from 'node:crypto';
import { createReadStream, mkdirSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { type Attachment, openMedia } from '@plugboard/host';
import type { Media, Store } from '@plugboard/store';
import { type Logger, reasonOf } from '../log.ts';
import { kindOf, type MediaKind, typeOf } from './type.ts';

/** Files that people sent and agents made, kept under names of our own. */
export interface MediaShelf {
  /** Takes in what an agent hands out from below `roots`. What cannot be had is left out, and told to the operator. */
  keep(sessionId: string, files: readonly Attachment[], roots: readonly string[]): Promise<Attachment[]>;
  /** Takes in what somebody uploads; rejects with a MediaTooLargeError, and then nothing is left of it. */
  add(
    sessionId: string,
    file: { readonly name: string; readonly type?: string; readonly bytes: AsyncIterable<Uint8Array> },
  ): Promise<Media>;
  get(id: string): Promise<Media | undefined>;
  /** Where the bytes of a file are. */
  path(media: Media): string;
  /** A file as a turn and the log of events carry it. */
  attachment(media: Media): Attachment & { readonly kind: MediaKind };
}

/** More bytes than one file may have. */
export class MediaTooLargeError extends Error {
  readonly code = 'too-large';

  constructor(limit: number) {
    super(`The file is larger than ${limit} bytes.`);
    this.name = 'MediaTooLargeError';
  }
}

export interface ShelfOptions {
  readonly directory: string;
  readonly store: Store;
  readonly log: Logger;
  readonly maxBytes: () => number;
}

/** The address of a file; also how it is named in the log, which knows no paths. */
export function mediaUrl(id: string): string {
  return `/api/media/${id}`;
}

export function createShelf({ directory, store, log, maxBytes }: ShelfOptions): MediaShelf {
  const add: MediaShelf['add'] = async (sessionId, { name, type, bytes }) => {
    // The bytes say what they are better than who sent them; a name is only shown, never used as a path.
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const id = randomBytes(18).toString('base64url');
    const path = join(directory, id);
    try {
      const { size, head } = await write(path, bytes, maxBytes());
      const found = typeOf(head, name, type);
      return await store.media.add({ id, sessionId, name: displayName(name), type: found, size, file: id });
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
  };
  const attachment: MediaShelf['attachment'] = (media) => ({
    kind: kindOf(media.type),
    path: join(directory, media.file),
    url: mediaUrl(media.id),
    name: media.name,
  });
  const keepOne = async (
    sessionId: string,
    file: Attachment,
    roots: readonly string[],
  ): Promise<Attachment | undefined> => {
    if (file.path === undefined) return file;
    // The host has looked at the path already; it is opened once more here, by the same rule.
    const opened = openMedia(file.path, roots);
    if ('refused' in opened) throw new Error(opened.refused);
    const name = file.name ?? basename(file.path);
    const media = await add(sessionId, { name, bytes: createReadStream('', { fd: opened.fd }) });
    const { path: _path, ...shown } = attachment(media);
    return { ...shown, kind: file.kind };
  };
  return {
    add,
    attachment,
    get: (id) => store.media.get(id),
    path: (media) => join(directory, media.file),
    async keep(sessionId, files, roots) {
      const kept: Attachment[] = [];
      for (const file of files) {
        try {
          const one = await keepOne(sessionId, file, roots);
          if (one !== undefined) kept.push(one);
        } catch (error) {
          log.warn(`A file of an agent was left out: ${reasonOf(error)}`, { session: sessionId });
        }
      }
      return kept;
    },
  };
}

const HEAD_BYTES = 4_100;

async function write(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<{ size: number; head: Uint8Array }> {
  let size = 0;
  let head = Buffer.alloc(0);
  const file: FileHandle = await open(path, 'wx', 0o600);
  try {
    for await (const chunk of bytes) {
      size += chunk.length;
      if (size > limit) throw new MediaTooLargeError(limit);
      if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk]).subarray(0, HEAD_BYTES);
      await file.writeFile(chunk);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { size, head };
}

const LONGEST_NAME = 200;

/** What a person sees: the last part of whatever was said, without what would deceive the eye. */
function displayName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  const clean = last.replace(/[\p{Cc}\p{Cf}]/gu, '').trim();
  const extension = extname(clean).slice(0, 20);
  const short = [...clean].slice(0, LONGEST_NAME).join('');
  return short === '' ? `file${extension}` : short;
}
