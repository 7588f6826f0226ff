import { type Connection, rows } from '../../connection.ts';
import type { SessionRow } from '../../records/session.ts';

// In the order of the index over what is running, which is small and is then read instead of the table. `:node` is null
// when no node has died.
const SQL = `
  select * from sessions where running = 1 and (lease_until <= :now or node = :node) order by lease_until`;

/** Sessions whose turn nobody runs any more. */
export function interruptedSessions(
  connection: Connection,
  when: { readonly now: number; readonly node: string | null },
): SessionRow[] {
  return rows(connection, SQL, when);
}
