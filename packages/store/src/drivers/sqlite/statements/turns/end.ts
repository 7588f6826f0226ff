import { type Connection, run } from '../../connection.ts';
import type { TurnRow } from '../../records/turn.ts';

const SQL = `
  update turns set state = :state, ended_at = :now, end_number = :number where seq = :turn`;

/** Notes how a turn ended, and the number of the event that says so. */
export function endTurn(
  connection: Connection,
  end: {
    readonly turn: number;
    readonly state: TurnRow['state'];
    readonly number: number;
    readonly now: number;
  },
): void {
  run(connection, SQL, end);
}
