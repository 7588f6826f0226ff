import { type Connection, rows } from '../../connection.ts';

// From one name to the next in the index: a session has had few agents, and may have had very many turns.
const SQL = `
  with recursive
    this(session) as (select seq from sessions where id = :sessionId),
    had(agent) as (
      select min(turns.agent) from turns, this where turns.session = this.session
      union all
      select (select min(turns.agent) from turns, this where turns.session = this.session and turns.agent > had.agent)
      from had where had.agent is not null)
  select agent from had where agent is not null`;

/** The agents that have had a turn in a session. */
export function agentsOf(connection: Connection, sessionId: string): string[] {
  return rows<{ agent: string }>(connection, SQL, { sessionId }).map(({ agent }) => agent);
}
