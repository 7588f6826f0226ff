import { type Connection, run } from '../../connection.ts';

// What somebody stopped while it was being answered was dropped, and stays so.
const SQL = "update messages set state = 'waiting', turn = null where turn = :turn and state = 'taken'";

/** Lets the messages of a turn wait again, each where it stood. */
export function putBackMessages(connection: Connection, turn: number): void {
  run(connection, SQL, { turn });
}
