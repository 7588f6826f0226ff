import { type Connection, row } from '../connection.ts';

const SQL = 'select 1 from events where seq > (select seq from indexed) limit 1';

/** Whether something was said that cannot be found yet. */
export function hasNext(connection: Connection): boolean {
  return row(connection, SQL) !== undefined;
}
