import type { Attachment } from '@plugboard/host';
import { reasonOf } from '@plugboard/protocol';
import type { Delivery } from '@plugboard/store';
import { type Channel, type Outgoing, SendError, type Sent } from '../channels/channel.ts';
import { bodyOf } from './body.ts';
import type { ChannelPreviews } from './preview/preview.ts';
import type { Times } from './times.ts';
import { within } from './within.ts';

/** What one attempt needs. */
export interface AttemptContext {
  readonly channel: Channel;
  readonly previews: ChannelPreviews;
  readonly times: Times;
  /** Where the bytes of files are. */
  readonly files: (media: readonly Attachment[]) => Promise<readonly Attachment[]>;
}

/** Hands one delivery to its channel. Rejects as the channel does, which says what may be done next. */
export async function attempt(context: AttemptContext, delivery: Delivery): Promise<Sent> {
  const { channel, previews, files, times } = context;
  const { edits, ...body } = bodyOf(delivery);
  const { platformId = edits ?? undefined, waitMs } = await previews.giveWay(delivery);
  if (waitMs > 0) throw new SendError('later', 'The platform asked to wait.', { afterMs: waitMs });
  const media = await files(body.media).catch((cause) => {
    throw new SendError('later', `Its files cannot be read: ${reasonOf(cause)}`, { cause });
  });
  const outgoing: Outgoing = { ...body, media };
  if (edits !== undefined && platformId !== undefined && channel.edit !== undefined) {
    if (await replaces(context, delivery, platformId, outgoing)) return { platformId };
  }
  const { id, sessionId, attempts, place } = delivery;
  return within(times.sendMs, (signal) =>
    channel.send(place, outgoing, { id, sessionId, attempt: attempts, signal }),
  );
}

/**
 * Puts the whole answer in the place of what has grown. False when that is gone: then the answer is sent like any other. To
 * put it there twice is to put it there once, so that one that was cut off may be tried again.
 */
async function replaces(
  { channel, times }: AttemptContext,
  { place }: Delivery,
  platformId: string,
  body: Outgoing,
): Promise<boolean> {
  try {
    await within(times.sendMs, async () => channel.edit?.(place, platformId, body));
    return true;
  } catch (error) {
    if (!(error instanceof SendError) || error.problem === 'unknown')
      throw new SendError('later', reasonOf(error), { cause: error });
    if (error.problem === 'later' || error.stopsChannel) throw error;
    return false;
  }
}
