import { type Connection, row, theRow } from '../../connection.ts';
import { TURN_COLUMNS, type TurnRow } from '../../records/turn.ts';

const SQL = `select ${TURN_COLUMNS} from turns where id = :id`;

/** The turn with this id. */
export function findTurn(connection: Connection, id: string): TurnRow | undefined {
  return row(connection, SQL, { id });
}

/** The same, where it is known to be there. */
export function theTurn(connection: Connection, id: string): TurnRow {
  return theRow(connection, SQL, { id });
}
