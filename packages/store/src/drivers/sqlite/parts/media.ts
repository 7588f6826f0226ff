import type { MediaRecords } from '../../../contract/media.ts';
import { storableText } from '../../../storable.ts';
import type { Context } from '../context.ts';
import { addMedia } from '../statements/media/add.ts';
import { findMedia } from '../statements/media/find.ts';
import { theSession } from './sessions.ts';

/** The records of files of a store. */
export function createMedia({ connection, read, write, now }: Context): MediaRecords {
  return {
    add: (media) =>
      write(() => {
        const names = {
          name: storableText(media.name),
          type: storableText(media.type),
          file: storableText(media.file),
        };
        const { id, sessionId, size } = media;
        const createdAt = now();
        const session = theSession(connection, sessionId).seq;
        addMedia(connection, { id, session, size, ...names, now: createdAt });
        return { id, sessionId, size, ...names, createdAt };
      }),
    get: (id) => read(() => findMedia(connection, id)),
  };
}
