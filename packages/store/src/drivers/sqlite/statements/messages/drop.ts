import { type Connection, rows } from '../../connection.ts';

// They stay in the log of events, where people have seen them; they will just not be answered.
const SQL = `
  update messages set state = 'dropped'
  where session = (select seq from sessions where id = :sessionId) and state = 'waiting'
  returning id, seq`;

/** Drops the messages of a session that wait; returns their ids in the order in which they came. */
export function dropMessages(connection: Connection, sessionId: string): string[] {
  const dropped = rows<{ id: string; seq: number }>(connection, SQL, { sessionId });
  return dropped.sort((one, other) => one.seq - other.seq).map(({ id }) => id);
}
