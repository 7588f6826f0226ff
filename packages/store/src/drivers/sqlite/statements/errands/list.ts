import type { Errand } from '../../../../contract/errands.ts';
import { type Connection, rows } from '../../connection.ts';

// What another agent than the session's own had to do is its own affair until it is chosen again.
const SQL = `
  select sessions.id as sessionId, errands.agent as agent
  from errands cross join sessions on sessions.seq = errands.session
  where sessions.closed = 0 and sessions.agent = errands.agent
  order by sessions.updated_at desc`;

/** Live sessions whose agent has something under way. */
export function listErrands(connection: Connection): Errand[] {
  return rows<Errand>(connection, SQL).map((errand) => ({ ...errand }));
}
