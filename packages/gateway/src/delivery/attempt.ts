import type { Attachment } from '@plugboard/host';
import { reasonOf } from '@plugboard/protocol';
import type { Delivery, Store } from '@plugboard/store';
import { type Channel, type Outgoing, SendError, type Sent } from '../channels/channel.ts';
import { platformPlace } from '../channels/places.ts';
import type { Clock } from '../clock.ts';
import { bodyOf } from './body.ts';
import { prepareOutgoing } from './outgoing.ts';
import { createdAtOf } from './plan.ts';
import type { ChannelPreviews } from './preview/preview.ts';
import { showEnded } from './questions.ts';
import { runWithin } from './timeout.ts';
import { SEND_MS } from './times.ts';

/** Services for one attempt to send. */
export interface AttemptContext {
  readonly store: Store;
  readonly channel: Channel;
  readonly previews: ChannelPreviews;
  readonly clock: Clock;
  /** Resolves media URLs to local paths. */
  readonly files: (media: readonly Attachment[]) => Promise<readonly Attachment[]>;
}

/** Calls `channel.send` or `channel.edit` for one delivery. Rejects with the error of the channel. */
export async function attemptDelivery(context: AttemptContext, delivery: Delivery): Promise<Sent> {
  const { channel, previews, clock } = context;
  const { edits, ask, ended } = bodyOf(delivery);
  if (ended === true && ask !== undefined) return showEnded(context, delivery, ask);
  const { platformId = edits ?? undefined, waitMs } = await previews.giveWay(delivery);
  if (waitMs > 0) throw new SendError('later', 'The platform asked to wait.', { afterMs: waitMs });
  const outgoing = await prepareOutgoing(delivery, context.files).catch((cause) => {
    throw new SendError('later', `Its files cannot be read: ${reasonOf(cause)}`, { cause });
  });
  await using _prepared = outgoing;
  const { body } = outgoing;
  if (edits !== undefined && platformId !== undefined && channel.edit !== undefined) {
    if (await replacePreview(context, delivery, platformId, body)) return { platformId };
  }
  const { id, sessionId, attempts, place } = delivery;
  return await runWithin(clock, SEND_MS, (signal) =>
    channel.send(platformPlace(place), body, {
      ...{ id, sessionId, attempt: attempts, signal },
      createdAt: createdAtOf(delivery),
    }),
  );
}

/**
 * Replaces the preview by the whole answer. False when the preview is gone: the answer is then sent as a new message.
 * An edit is idempotent, so that it may be retried after a crash.
 */
async function replacePreview(
  { channel, clock }: AttemptContext,
  { place }: Delivery,
  platformId: string,
  body: Outgoing,
): Promise<boolean> {
  try {
    await runWithin(clock, SEND_MS, async () => channel.edit?.(platformPlace(place), platformId, body));
    return true;
  } catch (error) {
    if (!(error instanceof SendError) || error.problem === 'unknown')
      throw new SendError('later', reasonOf(error), { cause: error });
    if (error.problem === 'later' || error.stopsChannel) throw error;
    return false;
  }
}
