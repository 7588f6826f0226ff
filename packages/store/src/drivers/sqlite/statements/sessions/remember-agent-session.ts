import { type Connection, run } from '../../connection.ts';

// Not a change that anybody sees: the session keeps its place in the list.
const SQL = 'update sessions set agent_session = :agentSession where id = :id';

/** Notes the id under which the agent remembers the session; false when there is no session. */
export function rememberAgentSession(connection: Connection, id: string, agentSession: string): boolean {
  return run(connection, SQL, { id, agentSession }).changes > 0;
}
