import type { Connection } from './connection.ts';
import type { SessionRow } from './records/session.ts';
import { listChannels } from './statements/sessions/list-channels.ts';

/**
 * A page of the sessions of all channels but one. No index has them in order, so `listOne` reads a page of each channel by the
 * index that has, and the pages are merged: a channel with millions of sessions costs nothing when it is the one left out.
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
