import { type Connection, theRow } from '../../connection.ts';
import { TURN_COLUMNS, type TurnRow } from '../../records/turn.ts';

// A session that runs has one running turn, and it is its newest.
const SQL = `
  select ${TURN_COLUMNS} from turns where session = :session and state = 'running' order by seq desc limit 1`;

/** The turn that a session runs. */
export function findRunningTurn(connection: Connection, session: number): TurnRow {
  return theRow(connection, SQL, { session });
}
