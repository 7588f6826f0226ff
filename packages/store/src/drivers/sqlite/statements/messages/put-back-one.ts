import { type Connection, row } from '../../connection.ts';

// What somebody stopped while it was being answered was dropped, and stays so. A closed session answers nothing any more.
const SQL = `
  update messages set state = 'waiting', turn = null
  where id = :id and state = 'taken' and (select closed from sessions where seq = messages.session) = 0
  returning session`;

/** Lets a message of a turn wait again where it stood; the session in which it does, if it does. */
export function putBackMessage(connection: Connection, id: string): number | undefined {
  return row<{ session: number }>(connection, SQL, { id })?.session;
}
