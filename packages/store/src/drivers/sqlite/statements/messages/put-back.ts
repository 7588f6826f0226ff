import { type Connection, run } from '../../connection.ts';

const SQL = "update messages set state = 'waiting', turn = null where turn = :turn";

/** Lets the messages of a turn wait again, each where it stood. */
export function putBackMessages(connection: Connection, turn: number): void {
  run(connection, SQL, { turn });
}
