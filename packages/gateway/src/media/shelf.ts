import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Attachment, openMedia } from '@plugboard/host';
import { reasonOf } from '@plugboard/protocol';
import type { Media, Store } from '@plugboard/store';
import type { Logger } from '../log.ts';
import { makePrivate } from '../private-directory.ts';
import { displayName } from './name.ts';
import { sweep } from './sweep.ts';
import { extensionOf, kindOf, type MediaKind, typeOf } from './type.ts';
import { writeFile } from './write.ts';

export { MediaTooLargeError } from './write.ts';

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
  /** Removes what a gateway that was killed has left half done. */
  sweep(): Promise<void>;
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
    roots: readonly string[],
  ): Promise<Attachment | undefined> => {
    if (file.path === undefined) return file;
    // The host has looked at the path already; it is opened once more here, by the same rule.
    const opened = openMedia(file.path, roots);
    if ('refused' in opened) throw new Error(opened.refused);
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
