import { type Connection, run } from '../../connection.ts';

const SQL = `
  insert into messages (id, source, session, number, state) values (:id, :source, :session, :number, 'waiting')`;

/** Adds a message that waits; returns its `seq`. */
export function addMessage(
  connection: Connection,
  message: {
    readonly id: string;
    readonly source: string;
    readonly session: number;
    readonly number: number;
  },
): number {
  return run(connection, SQL, message).seq;
}
