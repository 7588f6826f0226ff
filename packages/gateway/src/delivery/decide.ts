import type { Decision, Store, Delivery as Stored } from '@plugboard/store';
import type { Logger } from '../log.ts';
import type { Delivery } from './delivery.ts';
import type { Doubts } from './doubts.ts';
import { REPLY_EXPIRES_MS } from './plan.ts';

interface DecideContext {
  readonly store: Store;
  readonly delivery: Delivery;
  readonly engine: { readonly doubts: Doubts };
  readonly log: Logger;
}

/**
 * An operator says what became of a delivery that is unknown. What is to be sent again goes out at once, and is good for as
 * long as a new one: it was past its time before anybody could look.
 */
export async function decide(
  { store, delivery, engine, log }: DecideContext,
  id: string,
  { verdict, by }: Pick<Decision, 'verdict' | 'by'>,
): Promise<Stored> {
  const decision: Decision =
    verdict === 'again' ? { verdict, by, expiresInMs: REPLY_EXPIRES_MS } : { verdict, by };
  const decided = await store.outbox.decide(id, decision);
  const { channel } = decided;
  log.info('Somebody has said what became of a delivery.', { delivery: id, channel, verdict, by });
  if (verdict !== 'drop') engine.doubts.dispel(decided.sessionId);
  if (verdict === 'again') delivery.wake(channel);
  return decided;
}
