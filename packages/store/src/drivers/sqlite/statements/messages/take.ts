import { type Connection, run } from '../../connection.ts';

const SQL = "update messages set state = 'taken', turn = :turn where seq = :message";

/** Makes a message part of a turn. */
export function takeMessage(connection: Connection, message: number, turn: number): void {
  run(connection, SQL, { message, turn });
}
