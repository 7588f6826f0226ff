import { type Connection, theRow } from '../../connection.ts';
import { TURN_COLUMNS, type TurnRow } from '../../records/turn.ts';

const SQL = `
  insert into turns (id, session, agent, message, state, started_at, after_number)
  select :id, seq, agent, :message, 'running', :now, last_event from sessions where seq = :session
  returning ${TURN_COLUMNS}`;

/** Begins a turn of a session with the agent it has now. */
export function beginTurn(
  connection: Connection,
  turn: {
    readonly id: string;
    readonly session: number;
    readonly message: number | null;
    readonly now: number;
  },
): TurnRow {
  return theRow(connection, SQL, turn);
}
