import { reasonOf } from '@plugboard/protocol';
import type { Delivery, DeliveryOutcome } from '@plugboard/store';
import { type Resolved, SendError } from '../channels/channel.ts';
import { platformPlace } from '../channels/places.ts';
import { sleep } from '../clock.ts';
import type { AttemptContext } from './attempt.ts';
import { bodyOf } from './body.ts';
import { prepareOutgoing } from './outgoing.ts';
import { createdAtOf } from './plan.ts';
import { addJitter, retryDelay } from './retry.ts';
import { runWithin } from './timeout.ts';
import { RESOLVE_MS } from './times.ts';

/** Outcome of a failed attempt. Only a delivery that was certainly not sent is retried. */
export async function outcomeOf(
  context: AttemptContext,
  delivery: Delivery,
  error: unknown,
): Promise<DeliveryOutcome> {
  const problem = reasonOf(error);
  if (!(error instanceof SendError) || error.problem === 'unknown')
    return outcomeInDoubt(context, delivery, problem);
  // A refused key says nothing about the message, which waits for another key until it expires.
  if (error.problem === 'never' && !error.stopsChannel) return { state: 'failed', problem };
  return { state: 'pending', afterMs: waitOf(delivery, error), problem };
}

function waitOf({ attempts }: Delivery, { afterMs }: SendError): number {
  return afterMs === undefined ? retryDelay(attempts) : addJitter(afterMs);
}

/** Outcome of an attempt that may have succeeded: the result of `channel.resolve`, or else `onUnknown`. */
async function outcomeInDoubt(
  context: AttemptContext,
  delivery: Delivery,
  problem: string,
): Promise<DeliveryOutcome> {
  const found = await askUntilResolved(context, delivery);
  if (typeof found === 'object') return { state: 'sent', ...found };
  const again = found === 'pending' || context.channel.limits.onUnknown === 'resend';
  if (!again) return { state: 'unknown', problem };
  return { state: 'pending', afterMs: retryDelay(delivery.attempts), problem };
}

/** Outcome of a delivery that was `sending` when an earlier gateway ended. */
export async function outcomeAfterRestart(
  context: AttemptContext,
  delivery: Delivery,
): Promise<DeliveryOutcome> {
  const { edits, ended } = bodyOf(delivery);
  const problem = delivery.problem ?? 'It was cut off.';
  if (ended === true) return { state: 'pending', afterMs: 0, problem };
  if (typeof edits !== 'string') return outcomeInDoubt(context, delivery, problem);
  // An edit can be repeated, unless the answer was sent as a new message in the end.
  const found = await askChannel(context, delivery);
  return typeof found === 'object' ? { state: 'sent', ...found } : { state: 'pending', afterMs: 0, problem };
}

/** Most calls of `resolve`: its connection may be as broken as that of `send`. */
const MOST_QUESTIONS = 3;

async function askUntilResolved(context: AttemptContext, delivery: Delivery): Promise<Resolved> {
  for (let question = 1; question <= MOST_QUESTIONS; question += 1) {
    const found = await askChannel(context, delivery);
    // The delivery may have replaced a preview whose id is unknown: then `pending` from `resolve` proves no failure.
    if (found === 'pending' && bodyOf(delivery).edits === null) return 'unknown';
    if (found !== undefined) return found;
    if (question < MOST_QUESTIONS) await sleep(context.clock, retryDelay(question));
  }
  return 'unknown';
}

/** Calls `channel.resolve` once. Undefined when the call failed. */
async function askChannel(
  { channel, clock, files }: AttemptContext,
  delivery: Delivery,
): Promise<Resolved | undefined> {
  const { id, sessionId, attempts, place } = delivery;
  try {
    await using outgoing = await prepareOutgoing(delivery, files);
    const { body } = outgoing;
    const found = await runWithin(clock, RESOLVE_MS, async (signal) =>
      channel.resolve?.(platformPlace(place), body, {
        ...{ id, sessionId, attempt: attempts, signal },
        createdAt: createdAtOf(delivery),
      }),
    );
    return found ?? 'unknown';
  } catch {
    return undefined;
  }
}
