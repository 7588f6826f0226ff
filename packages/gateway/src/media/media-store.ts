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
import { extensionOf, kindOf, type MediaKind, typeOf } from './type.ts';
import { removeUnfinishedUploads } from './unfinished-uploads.ts';
import { MediaTooLargeError, writeFile } from './write.ts';

export { MediaTooLargeError } from './write.ts';

/** Files of users and agents, stored under generated names. */
export interface MediaStore {
  /**
   * Copies files that an agent sends, each from the file descriptor that was checked. Returns refused files with the
   * reason.
   */
  keep(sessionId: string, files: readonly Attachment[], access: MediaAccess): Promise<KeptMedia>;
  /** Stores an upload; rejects with a `MediaTooLargeError` and then leaves no file. */
  add(
    sessionId: string,
    file: { readonly name: string; readonly type?: string; readonly bytes: AsyncIterable<Uint8Array> },
  ): Promise<Media>;
  get(id: string): Promise<Media | undefined>;
  /** Path of a file. */
  path(media: Media): string;
  /** The `Attachment` of a file, for turns and events. */
  attachment(media: Media): Attachment & { readonly kind: MediaKind };
  /** Removes partial files of a gateway that was killed. */
  sweep(): Promise<void>;
}

/** Copied files of a message, and refused ones with the reason. */
interface KeptMedia {
  readonly kept: readonly Attachment[];
  readonly refused: readonly RefusedMedia[];
}

export interface MediaStoreOptions {
  readonly directory: string;
  readonly store: Store;
  readonly log: Logger;
  readonly maxBytes: () => number;
}

/** URL of a file. Events refer to files by it, since they contain no paths. */
export function mediaUrl(id: string): string {
  return `/api/media/${id}`;
}

export function createMediaStore({ directory, store, log, maxBytes }: MediaStoreOptions): MediaStore {
  makePrivate(directory);
  const add: MediaStore['add'] = async (sessionId, { name, type, bytes }) => {
    const id = randomBytes(18).toString('base64url');
    let found = '';
    const place = (head: Uint8Array): string => {
      // The first bytes determine the type, not the claim of the sender.
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
  const attachment: MediaStore['attachment'] = (media) => ({
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
        const { removed, older } = await removeUnfinishedUploads(directory, store);
        if (removed > 0)
          log.info(`${removed} files of unfinished uploads were removed.`, { code: 'uploads-removed' });
        if (older > 0)
          log.warn(
            `${older} files in ${directory} are older than the store, which does not know them. Is store.file the right one?`,
            { code: 'store-newer-than-files' },
          );
      } catch (error) {
        log.warn(`Files of unfinished uploads were not removed: ${reasonOf(error)}`, {
          code: 'uploads-not-removed',
        });
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
