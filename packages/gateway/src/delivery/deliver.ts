import { reasonOf } from '@plugboard/protocol';
import type { DeliveryOutcome, Delivery as Stored } from '@plugboard/store';
import { SendError } from '../channels/channel.ts';
import type { Logger } from '../log.ts';
import { retryWrite } from '../sessions/retry-writes.ts';
import { type AttemptContext, attemptDelivery } from './attempt.ts';
import { outcomeAfterRestart, outcomeOf } from './outcome.ts';
import type { Pause } from './pause.ts';
import { addJitter, retryDelay } from './retry.ts';

/** Services for `sendDelivery`. */
export interface DeliverContext extends AttemptContext {
  readonly pause: Pause;
  readonly log: Logger;
  /** Called when a delivery is `unknown` or `failed`. */
  readonly onDoubt: (sessionId: string) => void;
  /** Called when the channel cannot be used until its settings change. */
  readonly onStop: (reason: string) => void;
}

/** Sends one delivery and stores its outcome. Never rejects. */
export async function sendDelivery(
  context: DeliverContext,
  delivery: Stored,
): Promise<DeliveryOutcome | undefined> {
  const { channel, log, previews } = context;
  const outcome = await tryDelivery(context, delivery);
  if (outcome.state !== 'sent') {
    log.warn(`A delivery was not sent: ${outcome.problem}`, {
      code: 'delivery-not-sent',
      channel: channel.name,
      delivery: delivery.id,
      attempt: delivery.attempts,
      state: outcome.state,
      ...(outcome.state === 'pending' ? { retryAfterMs: outcome.afterMs } : {}),
    });
  }
  if (outcome.state === 'unknown' || outcome.state === 'failed') context.onDoubt(delivery.sessionId);
  const kept = await storeOutcome(context, delivery, outcome);
  if (outcome.state !== 'pending') previews.settled(delivery);
  return kept ? outcome : undefined;
}

/** The stored state is `unknown` already; only a more specific outcome is written. */
export async function settleCutOff(context: DeliverContext, delivery: Stored): Promise<DeliveryOutcome> {
  const outcome = await outcomeAfterRestart(context, delivery);
  if (outcome.state === 'unknown') context.onDoubt(delivery.sessionId);
  else await storeOutcome(context, delivery, outcome);
  return outcome;
}

async function tryDelivery(context: DeliverContext, delivery: Stored): Promise<DeliveryOutcome> {
  try {
    const { platformId } = await attemptDelivery(context, delivery);
    return { state: 'sent', ...(platformId === undefined ? {} : { platformId }) };
  } catch (error) {
    applyChannelError(context, error);
    return outcomeOf(context, delivery, error);
  }
}

/** Handles errors that concern the whole channel: `stopsChannel`, and `later` with the scope `channel`. */
function applyChannelError({ pause, onStop }: DeliverContext, error: unknown): void {
  if (!(error instanceof SendError)) return;
  if (error.stopsChannel) onStop(error.message);
  else if (error.problem === 'later' && error.scope === 'channel')
    pause.hold(error.afterMs === undefined ? retryDelay(1) : addJitter(error.afterMs));
}

/** Until the commit the delivery is `sending`, and `unknown` after a crash, which is correct. */
async function storeOutcome(
  { store, log }: DeliverContext,
  { id }: Stored,
  outcome: DeliveryOutcome,
): Promise<boolean> {
  try {
    await retryWrite(() => store.outbox.settle(id, outcome), log);
    return true;
  } catch (error) {
    log.error(`The outcome of a delivery was not stored: ${reasonOf(error)}`, {
      code: 'delivery-outcome-lost',
      delivery: id,
    });
    return false;
  }
}
