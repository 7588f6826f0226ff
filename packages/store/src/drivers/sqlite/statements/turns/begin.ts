import { type Connection, run } from '../../connection.ts';

const SQL = `
  insert into turns (id, session, agent, message, state, started_at, after_number)
  select :id, seq, agent, :message, 'running', :now, last_event from sessions where seq = :session`;

/** Begins a turn of a session with the agent it has now; returns its `seq`. */
export function beginTurn(
  connection: Connection,
  turn: {
    readonly id: string;
    readonly session: number;
    readonly message: number | null;
    readonly now: number;
  },
): number {
  return run(connection, SQL, turn).seq;
}
