import { type Connection, theRow } from '../../connection.ts';
import type { SessionRow } from '../../records/session.ts';

// The update changes nothing: it makes the row of whoever came first come back, where `do nothing` gives none.
const SQL = `
  insert into sessions (id, channel, place, agent, created_at, updated_at)
  values (:id, :channel, :place, :agent, :now, :now)
  on conflict (channel, place) where closed = 0 do update set place = excluded.place
  returning *`;

/** Begins a session in a place, or finds the one that is live there. */
export function beginSession(
  connection: Connection,
  session: {
    readonly id: string;
    readonly channel: string;
    readonly place: string;
    readonly agent: string;
    readonly now: number;
  },
): SessionRow {
  return theRow(connection, SQL, session);
}
