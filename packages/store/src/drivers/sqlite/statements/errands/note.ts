import { type Connection, run } from '../../connection.ts';

const SQL = `
  insert into errands (session, agent) values (:session, :agent)
  on conflict (session) do update set agent = excluded.agent`;

/** Notes that an agent has something under way in a session. */
export function noteErrand(connection: Connection, session: number, agent: string): void {
  run(connection, SQL, { session, agent });
}
