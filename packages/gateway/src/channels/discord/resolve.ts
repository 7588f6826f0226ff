import type { API, APIMessage } from '@discordjs/core';
import type { Outgoing, Resolved, SendContext } from '../channel.ts';
import { snowflakeAt } from './history.ts';
import { composeMessage } from './outgoing.ts';
import type { SentLog } from './sent-log.ts';

/** Discord remembers a nonce for some minutes: within 2 min, a repetition makes no second message. */
const NONCE_MS = 2 * 60_000;

/** Tolerance of the clocks, because the `Date` header has whole seconds. */
const TOLERANCE_MS = 5_000;

interface Resolving {
  readonly api: API;
  readonly sent: SentLog;
  readonly botId: string;
  /** The time of this machine, and that of Discord. */
  readonly now: { readonly here: number; readonly there: number };
}

/**
 * Whether a delivery has arrived. While the nonce holds, sending again is harmless. Afterwards the history is searched for a
 * message with the same text and as many files.
 */
export async function resolveDelivery(
  { api, sent, botId, now }: Resolving,
  place: string,
  body: Outgoing,
  delivery: SendContext,
): Promise<Resolved> {
  const arrivedAs = sent.findMessage(delivery.id);
  if (arrivedAs !== undefined) return { platformId: arrivedAs };
  const triedAt = sent.firstTriedAt(delivery);
  if (triedAt === undefined) return 'unknown';
  const age = now.here - triedAt;
  if (age >= 0 && age < NONCE_MS) return 'pending';
  const after = snowflakeAt(now.there - age - TOLERANCE_MS);
  const { signal } = delivery;
  const messages = await api.channels.getMessages(place, { after, limit: 100 }, { signal });
  const { content, files } = await composeMessage(body);
  const isSame = (message: APIMessage): boolean =>
    message.author.id === botId &&
    message.attachments.length === files.length &&
    [content.trim(), body.text.trim()].includes(message.content);
  const found = messages.find(isSame);
  return found === undefined ? 'unknown' : { platformId: found.id };
}
