import type { Media } from '../../contract/records.ts';
import type { MediaRecords } from '../../contract/store.ts';
import { storableText } from '../../storable.ts';
import { type Connection, findRow, runStatement } from './connection.ts';
import type { Context } from './context.ts';
import { requireSession } from './sessions/session-rows.ts';

const ADD_MEDIA = `
  insert into media (id, session, name, type, size, file, created_at)
  values (:id, :session, :name, :type, :size, :file, :now)`;

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
        const session = requireSession(connection, sessionId).seq;
        runStatement(connection, ADD_MEDIA, { id, session, size, ...names, now: createdAt });
        return { id, sessionId, size, ...names, createdAt };
      }),
    get: (id) => read(() => findMedia(connection, id)),
  };
}

// Columns have the names of `Media`. The row is spread, since rows of `node:sqlite` have no prototype.
const FIND_MEDIA = `
  select media.id, sessions.id as sessionId, name, type, size, file, media.created_at as createdAt
  from media join sessions on sessions.seq = media.session
  where media.id = :id`;

function findMedia(connection: Connection, id: string): Media | undefined {
  const found = findRow<Media>(connection, FIND_MEDIA, { id });
  return found === undefined ? undefined : { ...found };
}
