import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import {
  type Attachment,
  type MediaAccess,
  type MediaRefusal,
  openMedia,
  type RefusedMedia,
} from '@plugboard/host';
import { reasonOf } from '@plugboard/protocol';
import type { Media, Message, Store } from '@plugboard/store';
import type { Logger } from '../log.ts';
import { fetchAttachments } from './fetch-attachments.ts';
import { beginUpload } from './head.ts';
import { createLocalCopies } from './local-copies.ts';
import { MediaTooLargeError } from './media-error.ts';
import type { ByteRange } from './media-files.ts';
import { displayName } from './name.ts';
import type { MediaPlace } from './place.ts';
import { createRemoval } from './removal.ts';
import { extensionOf, kindOf, type MediaKind, typeOf } from './type.ts';
import { removeUnfinishedUploads } from './unfinished-uploads.ts';

export { MediaTooLargeError } from './media-error.ts';

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
  /** Bytes of a file, or of a range within it. Undefined when they are gone. */
  open(media: Media, range?: ByteRange): Promise<Readable | undefined>;
  /** Path of a file on this machine, for agents and channels. Makes a copy where the files are elsewhere. */
  localPath(media: Media): Promise<string>;
  /** The `Attachment` of a file, for turns and events. It has a `path` only where files are in a directory. */
  attachment(media: Media): Attachment & { readonly kind: MediaKind };
  /**
   * The message with paths of its files on this machine, for the agent. A file that cannot be read now is named in the
   * text. Never rejects.
   */
  fetchFor(message: Message): Promise<Message>;
  /** Removes the bytes of forgotten sessions. Bytes that cannot be removed now are tried again by the next call. */
  remove(files: readonly string[]): Promise<void>;
  /** Removes copies that were not used for a day. */
  clean(): Promise<void>;
  /** Removes partial files of a gateway that was killed. */
  sweep(): Promise<void>;
  /** Rejects with the reason when files can be neither stored nor read. */
  check(): Promise<void>;
}

/** Copied files of a message, and refused ones with the reason. */
interface KeptMedia {
  readonly kept: readonly Attachment[];
  readonly refused: readonly RefusedMedia[];
}

export interface MediaStoreOptions {
  readonly place: MediaPlace;
  /** Directory for copies of files that are elsewhere. */
  readonly copies: string;
  readonly store: Store;
  readonly log: Logger;
  readonly maxBytes: () => number;
}

/** URL of a file. Events refer to files by it, since they contain no paths. */
export function mediaUrl(id: string): string {
  return `/api/media/${id}`;
}

export function createMediaStore({ place, copies, store, log, maxBytes }: MediaStoreOptions): MediaStore {
  const { files, isShared } = place;
  const { directory } = files;
  const local = createLocalCopies(copies, files);
  const add: MediaStore['add'] = async (sessionId, { name, type, bytes }) => {
    const id = randomBytes(18).toString('base64url');
    const upload = await beginUpload(bytes, maxBytes());
    // The first bytes determine the type, not the claim of the sender.
    const found = typeOf(upload.head, name, type);
    const file = `${id}${extensionOf(found)}`;
    await files.put(file, upload.bytes);
    try {
      const { size } = upload;
      return await store.media.add({ id, sessionId, name: displayName(name), type: found, size, file });
    } catch (error) {
      // `sweep` removes a file whose removal fails.
      await files.remove(file).catch(() => {});
      throw error;
    }
  };
  const attachment: MediaStore['attachment'] = (media) => ({
    kind: kindOf(media.type),
    ...(directory === undefined ? {} : { path: join(directory, media.file) }),
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
  const localPath: MediaStore['localPath'] = async ({ file, size }) =>
    directory === undefined ? local.pathOf(file, size) : join(directory, file);
  return {
    add,
    attachment,
    get: (id) => store.media.get(id),
    open: ({ file }, range) => files.open(file, range),
    localPath,
    fetchFor: (message) => fetchAttachments(message, { get: store.media.get, localPath, log }),
    remove: createRemoval({ files, local, log }),
    clean: local.clean,
    check: files.check,
    async sweep() {
      try {
        const swept = await removeUnfinishedUploads(files, store, isShared);
        if (swept === 'foreign')
          return log.warn(
            `${files.place} has files of another store: files of unfinished uploads are not removed. Give each store a bucket, a prefix or a directory of its own.`,
            { code: 'media-of-another-store' },
          );
        const { removed, older } = swept;
        if (removed > 0)
          log.info(`${removed} files of unfinished uploads were removed.`, { code: 'uploads-removed' });
        if (older > 0)
          log.warn(
            `${older} files in ${files.place} are older than the store, which does not know them. Is store.file the right one?`,
            { code: 'store-newer-than-files' },
          );
      } catch (error) {
        log.warn(`Files of unfinished uploads were not removed: ${reasonOf(error)}`, {
          code: 'uploads-not-removed',
        });
      }
    },
    async keep(sessionId, given, access) {
      const kept: Attachment[] = [];
      const refused: RefusedMedia[] = [];
      for (const attachment of given) {
        const { detected: _, ...file } = attachment;
        const one = await keepOne(sessionId, attachment, access).catch((error: unknown) => ({
          refused: problemOf(error),
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

function problemOf(error: unknown): string {
  if (error instanceof MediaTooLargeError)
    return `it is larger than ${Math.floor(error.limit / 1024)} KiB, which the operator can change with "${error.setting}"`;
  return `it could not be kept: ${reasonOf(error).replace(/\.$/, '')}`;
}
