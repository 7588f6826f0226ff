import { type Connection, rows } from '../../connection.ts';

// The partial index holds just the sessions that are ready, in the order in which they are answered: it is read from the front,
// `limit` entries and no more, but for those of agents that are left out.
const SQL = (condition: string): string => `
  select seq, oldest_waiting as message from sessions
  where waiting > 0 and running = 0 and closed = 0 ${condition}
  order by rank, oldest_waiting
  limit :limit`;

const ANY = SQL('');

// A statement of its own: to have the list taken apart takes longer than all the rest, and there seldom is one.
const EXCEPT = SQL('and agent not in (select value from json_each(:except))');

/** A session for which a message waits. */
export interface Ready {
  readonly seq: number;
  /** The `seq` of the one that waits longest. */
  readonly message: number;
}

/** The sessions that are next: by rank, which alternates between principals, and then by age. */
export function findReadySessions(
  connection: Connection,
  { limit, except }: { readonly limit: number; readonly except: readonly string[] },
): Ready[] {
  return except.length === 0
    ? rows(connection, ANY, { limit })
    : rows(connection, EXCEPT, { limit, except: JSON.stringify(except) });
}
