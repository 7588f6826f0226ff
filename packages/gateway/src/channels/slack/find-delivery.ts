import { type Clock, sleep } from '../../clock.ts';
import type { Outgoing, Resolved, SendContext, Sent } from '../channel.ts';
import type { Attempts } from './attempts.ts';
import type { SlackCalls } from './calls.ts';
import { type Json, listAt, recordAt, textAt } from './json.ts';
import { readPlace } from './place.ts';
import { SlackCallError } from './problems.ts';

/** `metadata.event_type` of each message; its payload names the delivery. */
export const METADATA_TYPE = 'plugboard_delivery';

/** A posted message may be missing from `conversations.history` for this time. */
const SETTLE_MS = 10_000;

/** Difference that is allowed between the clock of Slack and ours. */
const CLOCK_MARGIN_MS = 10 * 60_000;

/** Range that is searched without `SendContext.createdAt`. */
const DEFAULT_RANGE_MS = 15 * 60_000;

const PAGE = 200;
const MOST_PAGES = 10;

interface Sought {
  readonly calls: SlackCalls;
  readonly clock: Clock;
  readonly attempts: Attempts;
  readonly place: string;
  readonly body: Outgoing;
  readonly context: SendContext;
}

/** Searches the history of a place for a delivery: by `metadata`, or by file ids, since messages with files have no metadata. */
export async function findDelivery(sought: Sought): Promise<Resolved> {
  const { clock, attempts, body, context } = sought;
  const attempt = attempts.find(context.id);
  if (body.media.length > 0 && attempt !== undefined && attempt.files === undefined) return 'pending';
  // `Attempts` are in memory: after a restart the file ids are lost.
  if (body.media.length > 0 && attempt === undefined) return 'unknown';
  const isIt = attempt?.files === undefined ? hasMetadata(context.id) : hasFile(attempt.files);
  try {
    const found = await searchHistory(sought, isIt);
    const leftMs = attempt?.failedAt === undefined ? SETTLE_MS : attempt.failedAt + SETTLE_MS - clock.now();
    if (found !== 'pending' || leftMs <= 0) return found;
    await sleep(clock, leftMs, context.signal);
    return await searchHistory(sought, isIt);
  } catch (error) {
    if (error instanceof SlackCallError && error.problem === 'never') return 'unknown';
    throw error;
  }
}

function hasMetadata(id: string): (message: Json) => boolean {
  return (message) => {
    const metadata = recordAt(message, 'metadata');
    return metadata.event_type === METADATA_TYPE && recordAt(metadata, 'event_payload').id === id;
  };
}

function hasFile(ids: readonly string[]): (message: Json) => boolean {
  return (message) => listAt(message, 'files').some(({ id }) => ids.includes(String(id)));
}

function sentAs(platformId: string | undefined): Sent {
  return platformId === undefined ? {} : { platformId };
}

/** `pending` when the whole range was read and the message is not in it. */
async function searchHistory(
  { calls, clock, place, context: { createdAt, signal } }: Sought,
  isIt: (message: Json) => boolean,
): Promise<Resolved> {
  const { channel, thread } = readPlace(place);
  const from = (createdAt ?? clock.date() - DEFAULT_RANGE_MS) - CLOCK_MARGIN_MS;
  const fields = { channel, oldest: (from / 1000).toFixed(6), include_all_metadata: true, limit: PAGE };
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const more = cursor === undefined ? {} : { cursor };
    const answer =
      thread === undefined
        ? await calls.call('conversations.history', { ...fields, ...more }, signal)
        : await calls.call('conversations.replies', { ...fields, ...more, ts: thread }, signal);
    const found = listAt(answer, 'messages').find(isIt);
    if (found !== undefined) return sentAs(textAt(found, 'ts'));
    cursor = textAt(recordAt(answer, 'response_metadata'), 'next_cursor');
    if (cursor === undefined) return answer.has_more === true ? 'unknown' : 'pending';
  }
  return 'unknown';
}
