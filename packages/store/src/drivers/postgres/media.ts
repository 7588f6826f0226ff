import type { Media } from '../../contract/records.ts';
import type { MediaRecords } from '../../contract/store.ts';
import { storableText } from '../../storable.ts';
import { findRow, runStatement } from './connection.ts';
import type { Context } from './context.ts';
import { requireSession } from './sessions/session-rows.ts';

const ADD_MEDIA = `
  insert into media (id, session, name, type, size, file, created_at)
  values (:id, :session, :name, :type, :size, :file, :now)`;

export function createMedia({ read, write }: Context): MediaRecords {
  return {
    add: (media) =>
      write(media.sessionId, async (transaction) => {
        const names = {
          name: storableText(media.name),
          type: storableText(media.type),
          file: storableText(media.file),
        };
        const { id, sessionId, size } = media;
        const { seq: session } = await requireSession(transaction, sessionId);
        await runStatement(transaction, ADD_MEDIA, { id, session, size, ...names });
        return { id, sessionId, size, ...names, createdAt: transaction.now };
      }),
    get: (id) => read((connection) => findRow<Media>(connection, FIND_MEDIA, { id })),
  };
}

// Columns have the names of `Media`.
const FIND_MEDIA = `
  select media.id, sessions.id as "sessionId", name, type, size, file, media.created_at as "createdAt"
  from media join sessions on sessions.seq = media.session
  where media.id = :id`;
