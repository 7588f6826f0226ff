import { type Connection, rows } from '../../connection.ts';
import type { SessionRow } from '../../records/session.ts';

/**
 * One statement, so that no two holders can come between the choice and the mark. The partial index holds just the
 * sessions that are ready, in the order of their oldest message: it is read from the front, `limit` entries
 * and no more, but for those of agents that are left out.
 */
const SQL = `
  update sessions
  set running = 1, node = :node, lease_until = :until, fence = fence + 1
  where seq in (
    select seq from sessions
    where waiting > 0 and running = 0 and closed = 0 and agent not in (select value from json_each(:except))
    order by oldest_waiting
    limit :limit)
  returning *`;

/** Claims the sessions that wait longest; they still wait for their message to be taken. */
export function claimSessions(
  connection: Connection,
  holder: {
    readonly node: string;
    readonly until: number;
    readonly limit: number;
    /** Names of agents, as a JSON array. */
    readonly except: string;
  },
): SessionRow[] {
  const claimed = rows<SessionRow>(connection, SQL, holder);
  // What an update returns is in no order.
  return claimed.sort((a, b) => (a.oldest_waiting ?? 0) - (b.oldest_waiting ?? 0));
}
