import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  type Attachment,
  type MediaAccess,
  type MediaRefusal,
  openMedia,
  type RefusedMedia,
} from '@plugboard/host';
import { reasonOf } from '@plugboard/protocol';
import type { Media, Store } from '@plugboard/store';
import type { Logger } from '../log.ts';
import { makePrivate } from '../private-directory.ts';
import { displayName } from './name.ts';
import { sweep } from './sweep.ts';
import { extensionOf, kindOf, type MediaKind, typeOf } from './type.ts';
import { MediaTooLargeError, writeFile } from './write.ts';

export { MediaTooLargeError } from './write.ts';

/** Files that people sent and agents made, kept under names of our own. */
export interface MediaShelf {
  /** Copies the files that an agent hands out, each from the descriptor that was checked. Tells which could not be had, and why. */
  keep(sessionId: string, files: readonly Attachment[], access: MediaAccess): Promise<KeptMedia>;
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
  /** Removes what a gateway that was killed has left half done. */
  sweep(): Promise<void>;
}

/** The files of a message: those that were copied, and those that were not, with the reason. */
interface KeptMedia {
  readonly kept: readonly Attachment[];
  readonly refused: readonly RefusedMedia[];
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
  makePrivate(directory);
  const add: MediaShelf['add'] = async (sessionId, { name, type, bytes }) => {
    const id = randomBytes(18).toString('base64url');
    let found = '';
    const place = (head: Uint8Array): string => {
      // The bytes say what they are better than who sent them.
      found = typeOf(head, name, type);
      return join(directory, `${id}${extensionOf(found)}`);
    };
    makePrivate(directory);
    const { path, size } = await writeFile(join(directory, id), bytes, maxBytes(), place);
    try {
      const file = basename(path);
      return await store.media.add({ id, sessionId, name: displayName(name), type: found, size, file });
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
    access: MediaAccess,
  ): Promise<Attachment | MediaRefusal> => {
    if (file.path === undefined) return file;
    const opened = openMedia(file, access);
    if ('refused' in opened) return opened;
    const name = file.name ?? basename(file.path);
    const bytes = createReadStream('', { fd: opened.fd });
    const media = await add(sessionId, { name, bytes }).finally(() => bytes.destroy());
    const { path: _path, ...shown } = attachment(media);
    return { ...shown, kind: file.kind };
  };
  return {
    add,
    attachment,
    get: (id) => store.media.get(id),
    path: (media) => join(directory, media.file),
    async sweep() {
      try {
        const swept = await sweep(directory, store.media);
        if (swept > 0) log.info(`${swept} files of uploads that were cut off were removed.`);
      } catch (error) {
        log.warn(`Files of uploads that were cut off were not removed: ${reasonOf(error)}`);
      }
    },
    async keep(sessionId, files, access) {
      const kept: Attachment[] = [];
      const refused: RefusedMedia[] = [];
      for (const attachment of files) {
        const { detected: _, ...file } = attachment;
        const one = await keepOne(sessionId, attachment, access).catch((error: unknown) => ({
          refused: problemOf(error, maxBytes()),
        }));
        if (!('refused' in one)) kept.push(one === attachment ? file : one);
        else if (!('silent' in one)) refused.push({ attachment, reason: one.refused });
      }
      for (const { attachment, reason } of refused)
        log.warn(`A file of an agent was not attached: ${reason}.`, {
          code: 'media-refused',
          session: sessionId,
          file: attachment.path,
        });
      return { kept, refused };
    },
  };
}

function problemOf(error: unknown, limit: number): string {
  if (error instanceof MediaTooLargeError)
    return `it is larger than ${Math.floor(limit / 1024)} KiB, which the operator can change with "server.media_bytes"`;
  return `it could not be kept: ${reasonOf(error)}`;
}
