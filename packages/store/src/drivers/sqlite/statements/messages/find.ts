import { type Connection, row } from '../../connection.ts';
import { MESSAGES, type MessageRow } from '../../records/message.ts';

const SQL = `${MESSAGES} where messages.seq = :message`;

/** The message with this `seq`. */
export function findMessage(connection: Connection, message: number): MessageRow | undefined {
  return row(connection, SQL, { message });
}
