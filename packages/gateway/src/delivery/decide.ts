import type { Decision, Store, Delivery as Stored } from '@plugboard/store';
import type { Logger } from '../log.ts';
import type { Doubts } from './doubts.ts';
import { REPLY_EXPIRES_MS } from './plan.ts';

interface DecideContext {
  readonly store: Store;
  readonly engine: { readonly doubts: Doubts; readonly wakeDelivery: (channel: string) => void };
  readonly log: Logger;
}

/**
 * Stores the verdict of an operator on an `unknown` delivery. With `again` it is sent at once and gets a new expiry,
 * since its old one has passed by then.
 */
export async function settleUnknown(
  { store, engine, log }: DecideContext,
  id: string,
  { verdict, by }: Pick<Decision, 'verdict' | 'by'>,
): Promise<Stored> {
  const decision: Decision =
    verdict === 'again' ? { verdict, by, expiresInMs: REPLY_EXPIRES_MS } : { verdict, by };
  const decided = await store.outbox.decide(id, decision);
  const { channel } = decided;
  log.info('An operator settled a delivery.', {
    code: 'delivery-settled',
    delivery: id,
    channel,
    verdict,
    by,
  });
  if (verdict !== 'drop') engine.doubts.dispel(decided.sessionId);
  if (verdict === 'again') engine.wakeDelivery(channel);
  return decided;
}
