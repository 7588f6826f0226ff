import { type Connection, listRows, type Parameters } from '../connection.ts';
import type { SessionRow } from './session-rows.ts';

// A pair, since many sessions can change in one millisecond. The index has the same pair.
const BEFORE = '(updated_at, seq) < (:before_at, (select seq from sessions where id = :before_id))';
const CHANNEL = 'channel = :channel';

interface Listing {
  readonly limit: number;
  readonly before?: { readonly id: string; readonly updatedAt: number };
  readonly channel?: string;
  readonly exceptChannel?: string;
}

/** Most recently changed first. */
export function listSessions(connection: Connection, listing: Listing): SessionRow[] {
  const { exceptChannel, ...rest } = listing;
  if (exceptChannel === undefined) return listOrdered(connection, rest);
  const { limit } = listing;
  return listOtherChannels(connection, { exceptChannel, limit }, (channel) =>
    listOrdered(connection, { ...rest, channel }),
  );
}

/** Builds `where` from the given conditions alone: each combination has its own query plan. */
function listOrdered(connection: Connection, listing: Omit<Listing, 'exceptChannel'>): SessionRow[] {
  const { limit, before, channel } = listing;
  const conditions: string[] = [];
  const parameters: Parameters[] = [{ limit }];
  const only = (condition: string, values: Parameters): void => {
    conditions.push(condition);
    parameters.push(values);
  };
  if (before !== undefined) only(BEFORE, { before_id: before.id, before_at: before.updatedAt });
  if (channel !== undefined) only(CHANNEL, { channel });
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
  const sql = `select * from sessions ${where} order by updated_at desc, seq desc limit :limit`;
  return listRows(connection, sql, Object.assign({}, ...parameters) as Parameters);
}

/**
 * A page of the sessions of all channels except `exceptChannel`. No index has them in order: `listOne` reads a page of each
 * channel by its index, and the pages are merged. The sessions of `exceptChannel` are not read, however many there are.
 */
export function listOtherChannels(
  connection: Connection,
  { exceptChannel, limit }: { readonly exceptChannel: string; readonly limit: number },
  listOne: (channel: string) => readonly SessionRow[],
): SessionRow[] {
  const channels = listChannels(connection).filter((channel) => channel !== exceptChannel);
  return channels
    .flatMap(listOne)
    .sort((one, other) => other.updated_at - one.updated_at || other.seq - one.seq)
    .slice(0, limit);
}

// `select distinct` would read the whole index; this does one lookup for each channel.
const LIST_CHANNELS = `
  with recursive channels (name) as (
    select min(channel) from sessions
    union all
    select (select min(channel) from sessions where channel > name) from channels where name is not null
  )
  select name from channels where name is not null`;

function listChannels(connection: Connection): string[] {
  return listRows<{ name: string }>(connection, LIST_CHANNELS, {}).map(({ name }) => name);
}
