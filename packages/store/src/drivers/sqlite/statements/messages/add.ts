import { type Connection, run } from '../../connection.ts';

const SQL = `
  insert into messages (id, source, session, number, state, principal)
  values (:id, :source, :session, :number, 'waiting', :principal)`;

/** Adds a message that waits; returns its `seq`. */
export function addMessage(
  connection: Connection,
  message: {
    readonly id: string;
    readonly source: string;
    readonly session: number;
    readonly number: number;
    readonly principal: string;
  },
): number {
  return run(connection, SQL, message).seq;
}
