import { type Connection, row } from '../../connection.ts';

const SQL = 'select 1 from events where session = :session and number > :after and turn = :turn limit 1';

/** Whether a turn has any event. */
export function hasSaid(
  connection: Connection,
  turn: { readonly session: number; readonly turn: number; readonly after: number },
): boolean {
  return row(connection, SQL, turn) !== undefined;
}
