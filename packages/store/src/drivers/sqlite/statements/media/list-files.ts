import { type Connection, rows } from '../../connection.ts';

const SQL = 'select file from media where session = :session';

/** Where the files of a session lie. */
export function listFiles(connection: Connection, session: number): string[] {
  return rows<{ file: string }>(connection, SQL, { session }).map(({ file }) => file);
}
