import { type Connection, theRow } from '../../connection.ts';

// Both indexes hold only what waits or runs, so this costs as much as there is to do.
const SQL = `
  select
    (select count(*) from messages where state = 'waiting') as waiting,
    (select count(*) from messages where state = 'waiting' and principal = :principal) as own,
    (select count(*) from sessions where running = 1) as running,
    (select min(events.at) from messages join events using (session, number) where state = 'waiting') as oldest`;

/** How many messages wait, in all and of one principal, how many turns run, and when the oldest message came that waits. */
export function countBacklog(
  connection: Connection,
  principal: string,
): {
  readonly waiting: number;
  readonly own: number;
  readonly running: number;
  readonly oldest: number | null;
} {
  return theRow(connection, SQL, { principal });
}
