import type { API, APIMessage } from '@discordjs/core';
import { SendError } from '../channel.ts';

const PAGE = 100;
const MOST_PAGES = 10;

/** Age limit of messages from the history: 24 h. */
const OLDEST_MS = 24 * 60 * 60_000;

const EPOCH = 1_420_070_400_000n;

/** The least id that a message of this time can have. */
export function snowflakeAt(date: number): string {
  const since = BigInt(Math.max(0, Math.floor(date))) - EPOCH;
  return ((since > 0n ? since : 0n) << 22n).toString();
}

/**
 * The messages of a channel after an id, oldest first, at most 1,000 and not older than a day. Undefined when the channel
 * may not be read, or is gone.
 */
export async function readHistory(
  api: API,
  channelId: string,
  { after, now, signal }: { readonly after: string; readonly now: number; readonly signal: AbortSignal },
): Promise<readonly APIMessage[] | undefined> {
  const oldest = snowflakeAt(now - OLDEST_MS);
  let from = BigInt(after) > BigInt(oldest) ? after : oldest;
  const messages: APIMessage[] = [];
  try {
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const found = await api.channels.getMessages(channelId, { after: from, limit: PAGE }, { signal });
      const sorted = [...found].sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
      messages.push(...sorted);
      const last = sorted.at(-1);
      if (last === undefined || sorted.length < PAGE) break;
      from = last.id;
    }
  } catch (error) {
    if (error instanceof SendError && error.problem === 'never' && !error.stopsChannel) return undefined;
    throw error;
  }
  return messages;
}
