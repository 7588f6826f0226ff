import { type Connection, rows } from '../../connection.ts';
import { MESSAGES, type MessageRow } from '../../records/message.ts';

const SQL = `${MESSAGES} where messages.session = :session and messages.state = 'waiting' order by messages.seq`;

/** The messages of a session that wait, in order. */
export function listWaiting(connection: Connection, session: number): MessageRow[] {
  return rows(connection, SQL, { session });
}
