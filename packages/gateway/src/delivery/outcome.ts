import { setTimeout as sleep } from 'node:timers/promises';
import { reasonOf } from '@plugboard/protocol';
import type { Delivery, DeliveryOutcome } from '@plugboard/store';
import { SendError } from '../channels/channel.ts';
import type { AttemptContext } from './attempt.ts';
import { bodyOf } from './body.ts';
import { obeyed } from './retry.ts';
import { within } from './within.ts';

type Resolution = 'sent' | 'pending' | 'unknown';

/** What becomes of a delivery whose attempt has failed: only what certainly was not sent is sent again. */
export async function outcomeOf(
  context: AttemptContext,
  delivery: Delivery,
  error: unknown,
): Promise<DeliveryOutcome> {
  const problem = reasonOf(error);
  if (!(error instanceof SendError) || error.problem === 'unknown')
    return doubtful(context, delivery, problem);
  if (error.problem === 'never') return { state: 'failed', problem };
  return { state: 'pending', afterMs: waitOf(context, delivery, error), problem };
}

function waitOf({ times }: AttemptContext, { attempts }: Delivery, { afterMs }: SendError): number {
  return afterMs === undefined ? times.retryMs(attempts) : obeyed(afterMs);
}

/**
 * What becomes of a delivery of which we do not know whether it arrived: what the channel finds out, or else what it is told
 * to do then.
 */
async function doubtful(
  context: AttemptContext,
  delivery: Delivery,
  problem: string,
): Promise<DeliveryOutcome> {
  const found = await resolved(context, delivery);
  if (found === 'sent') return { state: 'sent' };
  const again = found === 'pending' || context.channel.limits.onUnknown === 'resend';
  if (!again) return { state: 'unknown', problem };
  return { state: 'pending', afterMs: context.times.retryMs(delivery.attempts), problem };
}

/** The same for one that an earlier gateway was sending when it ended. */
export async function recovered(context: AttemptContext, delivery: Delivery): Promise<DeliveryOutcome> {
  const { edits } = bodyOf(delivery);
  const problem = delivery.problem ?? 'It was cut off.';
  if (typeof edits !== 'string') return doubtful(context, delivery, problem);
  // An answer that replaces what has grown can be put there again, unless it was sent by itself in the end.
  const found = await ask(context, delivery);
  return found === 'sent' ? { state: 'sent' } : { state: 'pending', afterMs: 0, problem };
}

/** The connection over which to ask may be as broken as the one over which it was sent. */
const MOST_QUESTIONS = 3;

async function resolved(context: AttemptContext, delivery: Delivery): Promise<Resolution> {
  for (let question = 1; question <= MOST_QUESTIONS; question += 1) {
    const found = await ask(context, delivery);
    // What replaced something cannot be found by its own name: that it is not there means nothing.
    if (found === 'pending' && bodyOf(delivery).edits === null) return 'unknown';
    if (found !== undefined) return found;
    if (question < MOST_QUESTIONS) await sleep(context.times.retryMs(question), undefined, { ref: false });
  }
  return 'unknown';
}

/** Undefined when the question itself went wrong. */
async function ask(
  { channel, times, files }: AttemptContext,
  delivery: Delivery,
): Promise<Resolution | undefined> {
  const { id, sessionId, attempts, place } = delivery;
  const { edits: _, ...body } = bodyOf(delivery);
  try {
    const outgoing = { ...body, media: await files(body.media) };
    const found = await within(times.resolveMs, async (signal) =>
      channel.resolve?.(place, outgoing, { id, sessionId, attempt: attempts, signal }),
    );
    return found ?? 'unknown';
  } catch {
    return undefined;
  }
}
