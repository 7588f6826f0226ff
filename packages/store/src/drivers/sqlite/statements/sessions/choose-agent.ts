import { type Connection, run } from '../../connection.ts';

// In an update every column on the right still has its old value, whatever the order.
const SQL = `
  update sessions
  set agent_session = iif(agent = :agent, agent_session, null), agent = :agent, updated_at = :now
  where id = :id`;

/** Gives a session to an agent; what another one remembered it by is forgotten. False when there is no session. */
export function chooseAgent(
  connection: Connection,
  session: { readonly id: string; readonly agent: string; readonly now: number },
): boolean {
  return run(connection, SQL, session).changes > 0;
}
