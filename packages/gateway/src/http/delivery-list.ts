import type { Delivery, DeliveryState, Store } from '@plugboard/store';
import type { Principal } from './auth.ts';
import { cursorProblem } from './cursor.ts';
import { fullPage } from './full-page.ts';
import { maySee } from './sight.ts';

interface Asked {
  readonly limit: number;
  readonly state?: DeliveryState | undefined;
  readonly session?: string | undefined;
  /** The id of the last delivery of the page before. */
  readonly cursor?: string | undefined;
}

interface Page {
  readonly deliveries: readonly Delivery[];
  readonly next: string | null;
}

/** A page of the deliveries that somebody may see, newest first. */
export async function listDeliveries(store: Store, principal: Principal, asked: Asked): Promise<Page> {
  const { limit, state, session, cursor } = asked;
  const only = {
    limit,
    ...(state === undefined ? {} : { state }),
    ...(session === undefined ? {} : { sessionId: session }),
  };
  try {
    const { found, last } = await fullPage<Pick<Delivery, 'id'>, Delivery>({
      limit,
      before: cursor === undefined ? undefined : { id: cursor },
      read: (before) =>
        store.outbox.list({ ...only, ...(before === undefined ? {} : { before: before.id }) }),
      may: (delivery) => maySeeDelivery(store, principal, delivery),
    });
    return { deliveries: found, next: last?.id ?? null };
  } catch (error) {
    throw cursorProblem(error);
  }
}

/** Whether a delivery is there for somebody: only where its session is. */
export async function maySeeDelivery(
  store: Store,
  principal: Principal,
  { sessionId }: Delivery,
): Promise<boolean> {
  const session = await store.sessions.get(sessionId);
  return session !== undefined && (await maySee(store, principal, session));
}
