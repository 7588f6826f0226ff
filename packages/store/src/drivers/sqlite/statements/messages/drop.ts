import { type Connection, run } from '../../connection.ts';

// They stay in the log of events, where people have seen them; they will just not be answered.
const SQL = `
  update messages set state = 'dropped'
  where session = (select seq from sessions where id = :sessionId) and state = 'waiting'`;

/** Drops the messages of a session that wait; returns how many there were. */
export function dropMessages(connection: Connection, sessionId: string): number {
  return run(connection, SQL, { sessionId }).changes;
}
