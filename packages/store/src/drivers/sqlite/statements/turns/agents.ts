import { type Connection, rows } from '../../connection.ts';

// The turns of a session are few enough to look through, and few readers ask.
const SQL = `
  select distinct agent from turns
  where session = (select seq from sessions where id = :sessionId)
  order by agent`;

/** The agents that have had a turn in a session. */
export function agentsOf(connection: Connection, sessionId: string): string[] {
  return rows<{ agent: string }>(connection, SQL, { sessionId }).map(({ agent }) => agent);
}
