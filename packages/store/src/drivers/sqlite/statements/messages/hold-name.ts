import { type Connection, run } from '../../connection.ts';

// Of no event, and never to be answered: it stands there for its name alone, which is unique. A message that comes under it
// is refused by that, and one that comes under any other name pays nothing.
const SQL = `
  insert into messages (id, source, session, number, state)
  values ('command:' || :source, :source, :session, 0, 'dropped')`;

/** Keeps the name of a command from being given to a message; fails when a message has it. */
export function holdName(
  connection: Connection,
  command: { readonly source: string; readonly session: number },
): void {
  run(connection, SQL, command);
}
