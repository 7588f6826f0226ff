import { type Connection, run } from '../../connection.ts';

// The turn itself is left to its holder, who stops it. Only what is taken can be put back after a crash.
const SQL = `
  update messages set state = 'dropped'
  where state = 'taken' and turn = (
    select turns.seq from turns join sessions on sessions.seq = turns.session
    where sessions.id = :sessionId and sessions.running = 1 and turns.state = 'running'
    order by turns.seq desc
    limit 1)`;

/** Keeps what the running turn of a session was asked from being asked again. */
export function letGoMessages(connection: Connection, sessionId: string): void {
  run(connection, SQL, { sessionId });
}
