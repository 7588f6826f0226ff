import { reasonOf } from '@plugboard/protocol';
import type { DeliveryOutcome, Store, Delivery as Stored } from '@plugboard/store';
import { SendError } from '../channels/channel.ts';
import type { Logger } from '../log.ts';
import { patiently } from '../sessions/patient.ts';
import { type AttemptContext, attempt } from './attempt.ts';
import { outcomeOf, recovered } from './outcome.ts';
import type { Pause } from './pause.ts';
import { obeyed } from './retry.ts';

/** What it takes to see deliveries through. */
export interface DeliverContext extends AttemptContext {
  readonly store: Store;
  readonly pause: Pause;
  readonly log: Logger;
  /** Nobody can tell whether something arrived. */
  readonly onDoubt: (sessionId: string) => void;
  /** The channel is of no use any more. */
  readonly onStop: (reason: string) => void;
}

/** Sees one delivery through, and keeps what became of it. Never rejects. */
export async function deliver(
  context: DeliverContext,
  delivery: Stored,
): Promise<DeliveryOutcome | undefined> {
  const { channel, log, previews } = context;
  const outcome = await tried(context, delivery);
  if (outcome.state !== 'sent') {
    const { id, attempts } = delivery;
    const fields = { channel: channel.name, delivery: id, attempt: attempts, state: outcome.state };
    log.warn(`Something was not delivered: ${outcome.problem}`, fields);
  }
  if (outcome.state === 'unknown') context.onDoubt(delivery.sessionId);
  const kept = await keep(context, delivery, outcome);
  if (outcome.state !== 'pending') previews.settled(delivery);
  return kept ? outcome : undefined;
}

/** It is unknown already; only what is known better is kept. */
export async function settleCutOff(context: DeliverContext, delivery: Stored): Promise<DeliveryOutcome> {
  const outcome = await recovered(context, delivery);
  if (outcome.state === 'unknown') context.onDoubt(delivery.sessionId);
  else await keep(context, delivery, outcome);
  return outcome;
}

async function tried(context: DeliverContext, delivery: Stored): Promise<DeliveryOutcome> {
  try {
    const { platformId } = await attempt(context, delivery);
    return { state: 'sent', ...(platformId === undefined ? {} : { platformId }) };
  } catch (error) {
    heed(context, error);
    return outcomeOf(context, delivery, error);
  }
}

/** Some problems are not that of one delivery. */
function heed({ pause, onStop, times }: DeliverContext, error: unknown): void {
  if (!(error instanceof SendError)) return;
  if (error.stopsChannel) onStop(error.message);
  else if (error.problem === 'later' && error.scope === 'channel')
    pause.hold(error.afterMs === undefined ? times.retryMs(1) : obeyed(error.afterMs));
}

/** Until this is kept the delivery is in the state `sending`, and unknown after a crash: that is the truth. */
async function keep(
  { store, log }: DeliverContext,
  { id }: Stored,
  outcome: DeliveryOutcome,
): Promise<boolean> {
  try {
    await patiently(() => store.outbox.settle(id, outcome), log);
    return true;
  } catch (error) {
    log.error(`What became of a delivery was not kept: ${reasonOf(error)}`, { delivery: id });
    return false;
  }
}
