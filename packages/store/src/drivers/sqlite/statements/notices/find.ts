import { type Connection, row } from '../../connection.ts';

const SQL = `
  select sessions.id as session_id, notices.number
  from notices join sessions on sessions.seq = notices.session
  where notices.id = :id`;

/** Where a notice stands, if it was given before. */
export function findNotice(
  connection: Connection,
  id: string,
): { readonly session_id: string; readonly number: number } | undefined {
  return row(connection, SQL, { id });
}
