import { type Connection, run } from '../../connection.ts';

const SQL = 'delete from errands where session = (select seq from sessions where id = :sessionId)';

/** Notes that no agent has anything under way in a session. */
export function removeErrand(connection: Connection, sessionId: string): void {
  run(connection, SQL, { sessionId });
}
