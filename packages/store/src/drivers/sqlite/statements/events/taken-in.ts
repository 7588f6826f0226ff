import { type Connection, rows } from '../../connection.ts';

/** An agent has begun something, or taken so many messages into what it was at. */
export interface TakenIn {
  readonly type: 'accepted' | 'steered';
  readonly count: number | null;
}

// No further back than where the turn began.
const SQL = `
  select body ->> 'type' as type, body ->> 'count' as count
  from events
  where session = :session and number > :after and turn = :turn and body ->> 'type' in ('accepted', 'steered')
  order by number`;

/** What the agent of a turn has taken in, in order; the turn began after this number. */
export function takenIn(
  connection: Connection,
  turn: { readonly session: number; readonly turn: number; readonly after: number },
): TakenIn[] {
  return rows(connection, SQL, turn);
}
