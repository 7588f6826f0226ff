import { type Connection, row } from '../../connection.ts';
import { TURN_COLUMNS, type TurnRow } from '../../records/turn.ts';

const SQL = `select ${TURN_COLUMNS} from turns where id = :id`;

/** The turn with this id. */
export function findTurn(connection: Connection, id: string): TurnRow | undefined {
  return row(connection, SQL, { id });
}
