import { type Connection, listRows, type Parameters } from '../connection.ts';
import type { SessionRow } from './session-rows.ts';

export interface Listing {
  readonly limit: number;
  readonly before?: { readonly id: string; readonly updatedAt: number };
  readonly channel?: string;
  readonly exceptChannel?: string;
}

/** Most recently changed first. */
export function listSessions(connection: Connection, listing: Listing): Promise<SessionRow[]> {
  const { where, parameters } = conditionsOf(listing, []);
  return listRows(connection, `select * from sessions ${where} ${ORDER}`, parameters);
}

export const ORDER = 'order by updated_at desc, seq desc limit :limit';

// A pair, since many sessions can change in one millisecond. The index has the same pair.
const BEFORE = '(updated_at, seq) < (:beforeAt, (select seq from sessions where id = :beforeId))';

/** `where` with the given conditions alone, so that each combination has its own plan, and the values for them. */
export function conditionsOf(
  { limit, before, channel, exceptChannel }: Listing,
  more: readonly string[],
): { where: string; parameters: Parameters } {
  const conditions = [
    ...more,
    ...(before === undefined ? [] : [BEFORE]),
    ...(channel === undefined ? [] : ['channel = :channel']),
    ...(exceptChannel === undefined ? [] : ['channel <> :exceptChannel']),
  ];
  return {
    where: conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`,
    parameters: {
      limit,
      ...(before === undefined ? {} : { beforeAt: before.updatedAt, beforeId: before.id }),
      ...(channel === undefined ? {} : { channel }),
      ...(exceptChannel === undefined ? {} : { exceptChannel }),
    },
  };
}
