import type { Media } from '../../../../contract/records.ts';
import { type Connection, row } from '../../connection.ts';

// Named as the contract names them, so that a row is a record; spread, since a row has no prototype.
const SQL = `
  select media.id, sessions.id as sessionId, name, type, size, file, media.created_at as createdAt
  from media join sessions on sessions.seq = media.session
  where media.id = :id`;

/** The file with this id. */
export function findMedia(connection: Connection, id: string): Media | undefined {
  const found = row<Media>(connection, SQL, { id });
  return found === undefined ? undefined : { ...found };
}
