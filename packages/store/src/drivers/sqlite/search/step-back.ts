import { type Connection, run } from '../connection.ts';

// When the newest events are deleted, the next ones are given their `seq` again.
const SQL =
  'update indexed set seq = (select coalesce(max(seq), 0) from events) where seq > (select coalesce(max(seq), 0) from events)';

/** Lets what is said after events were deleted be indexed like all the rest. */
export function stepBack(connection: Connection): void {
  run(connection, SQL);
}
