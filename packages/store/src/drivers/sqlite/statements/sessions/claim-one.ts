import { type Connection, row } from '../../connection.ts';
import type { SessionRow } from '../../records/session.ts';

const SQL = `
  update sessions
  set running = 1, node = :node, lease_until = :until, fence = fence + 1
  where id = :id and running = 0 and closed = 0
  returning *`;

/** Claims one session whether a message waits or not; undefined when it cannot be had. */
export function claimSession(
  connection: Connection,
  holder: { readonly id: string; readonly node: string; readonly until: number },
): SessionRow | undefined {
  return row(connection, SQL, holder);
}
