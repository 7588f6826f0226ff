import { type Connection, row } from '../../connection.ts';

/** What a holder needs to know to write to its turn. */
export interface Held {
  readonly session: number;
  readonly turn: number;
  readonly last_event: number;
  readonly after_number: number;
}

// The fence alone tells one claim of a session from every other. The turn is asked for as well: in a store that was
// restored from a backup, fences start again from what they were.
const SQL = `
  select sessions.seq as session, turns.seq as turn, last_event, after_number
  from turns join sessions on sessions.seq = turns.session
  where turns.id = :turnId and turns.state = 'running' and sessions.running = 1 and sessions.fence = :fence`;

/** What a claim still holds; undefined when it was lost. */
export function findHeld(
  connection: Connection,
  claim: { readonly turnId: string; readonly fence: number },
): Held | undefined {
  return row(connection, SQL, claim);
}
