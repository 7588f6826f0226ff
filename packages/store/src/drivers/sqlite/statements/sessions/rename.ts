import { type Connection, row } from '../../connection.ts';

const SQL = 'update sessions set title = :title, updated_at = :now where id = :id returning seq';

/** Gives a session a title; returns its `seq`, or undefined when there is none. */
export function renameSession(
  connection: Connection,
  session: { readonly id: string; readonly title: string; readonly now: number },
): number | undefined {
  return row<{ seq: number }>(connection, SQL, session)?.seq;
}
