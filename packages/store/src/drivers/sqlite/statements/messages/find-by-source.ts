import { type Connection, row } from '../../connection.ts';
import { MESSAGES, type MessageRow } from '../../records/message.ts';

const SQL = `${MESSAGES} where messages.source = :source`;

/** The message that was admitted under this name. */
export function findMessageBySource(connection: Connection, source: string): MessageRow | undefined {
  return row(connection, SQL, { source });
}
