import { type Connection, type Parameters, rows } from '../../connection.ts';
import { listOtherChannels } from '../../other-channels.ts';
import type { SessionRow } from '../../records/session.ts';

// Pages go on from a pair, since many sessions can change in the same millisecond. The index has the same pair.
const BEFORE = '(updated_at, seq) < (:before_at, (select seq from sessions where id = :before_id))';
const CHANNEL = 'channel = :channel';

/** Which sessions to list. */
export interface Listing {
  readonly limit: number;
  readonly before?: { readonly id: string; readonly updatedAt: number };
  readonly channel?: string;
  readonly exceptChannel?: string;
}

/** Sessions, the one that changed last first. */
export function listSessions(connection: Connection, listing: Listing): SessionRow[] {
  const { exceptChannel, ...rest } = listing;
  if (exceptChannel === undefined) return listOrdered(connection, rest);
  const { limit } = listing;
  return listOtherChannels(connection, { exceptChannel, limit }, (channel) =>
    listOrdered(connection, { ...rest, channel }),
  );
}

/** Conditions that are not asked for are left out: each has its own plan. */
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
  return rows(connection, sql, Object.assign({}, ...parameters) as Parameters);
}
