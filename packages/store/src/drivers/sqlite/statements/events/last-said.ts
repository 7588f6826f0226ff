import { type Connection, row } from '../../connection.ts';

// From the end backwards, and no further than where the turn began: since then no other has said anything.
const SQL = `
  select body ->> 'text' as text
  from events
  where session = :session and number > :after and body ->> 'type' = 'message'
  order by number desc
  limit 1`;

/** The text of the last message of the running turn, which began after this number; empty when it has said none. */
export function lastSaid(
  connection: Connection,
  turn: { readonly session: number; readonly after: number },
): string {
  return row<{ text: string }>(connection, SQL, turn)?.text ?? '';
}
