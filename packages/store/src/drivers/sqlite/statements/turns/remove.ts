import { type Connection, run } from '../../connection.ts';

const SQL = 'delete from turns where seq = :turn';

/** Removes a turn that was never begun. */
export function removeTurn(connection: Connection, turn: number): void {
  run(connection, SQL, { turn });
}
