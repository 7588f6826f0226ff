import { type Connection, rows } from '../../connection.ts';

// From the old end of the index by age; what runs, waits or is still to be sent has not come to rest.
const SQL = `
  select seq from sessions
  where updated_at < :before and running = 0 and waiting = 0
    and not exists (
      select 1 from deliveries where session = sessions.seq and state in ('pending', 'sending'))
  order by updated_at
  limit :limit`;

/** Sessions in which nothing has happened since a time. */
export function findIdleSessions(
  connection: Connection,
  options: { readonly before: number; readonly limit: number },
): number[] {
  return rows<{ seq: number }>(connection, SQL, options).map(({ seq }) => seq);
}
