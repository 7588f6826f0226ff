import { type Connection, rows } from '../../connection.ts';

const SQL = "select id from messages where turn = :turn and state = 'taken' order by seq";

/** The ids of the messages of a turn that were not dropped, in order. */
export function messagesOfTurn(connection: Connection, turn: number): string[] {
  return rows<{ id: string }>(connection, SQL, { turn }).map(({ id }) => id);
}
