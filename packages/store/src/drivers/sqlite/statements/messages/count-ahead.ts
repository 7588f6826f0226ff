import { type Connection, row } from '../../connection.ts';

const SQL = `
  select count(*) as ahead from messages
  where session = :session and seq < :message and state = 'waiting'`;

/** How many messages of a session wait before this one. */
export function countAhead(connection: Connection, session: number, message: number): number {
  return row<{ ahead: number }>(connection, SQL, { session, message })?.ahead ?? 0;
}
