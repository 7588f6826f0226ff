import type { Clock } from '../../clock.ts';
import type { SendContext } from '../channel.ts';
import { nonceOf } from './outgoing.ts';

/** Deliveries of this process by `SendContext.id`, for `resolve`. */
export interface SentLog {
  /** Notes that an attempt begins. */
  begin(delivery: SendContext): void;
  /** Notes a message of the bot, by the nonce that Discord repeats in its event. */
  noteMessage(nonce: string): void;
  hasArrived(deliveryId: string): boolean;
  /** Lower bound for the time of the first attempt, by `Clock.date`; undefined without `createdAt`. */
  firstTriedAt(delivery: SendContext): number | undefined;
}

const MOST_NOTED = 10_000;

export function createSentLog({ date }: Pick<Clock, 'date'>): SentLog {
  const began = new Map<string, number>();
  const arrived = new Map<string, true>();
  return {
    begin({ id, attempt, createdAt }) {
      if (began.has(id)) return;
      // With `attempt` above 1, another process may have made the first attempt.
      keepNewest(began, id, attempt > 1 ? (createdAt ?? date()) : date());
    },
    noteMessage: (nonce) => keepNewest(arrived, nonce, true),
    hasArrived: (id) => arrived.has(nonceOf(id)),
    firstTriedAt: ({ id, createdAt }) => began.get(id) ?? createdAt,
  };
}

function keepNewest<T>(map: Map<string, T>, key: string, value: T): void {
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= MOST_NOTED) break;
    map.delete(oldest);
  }
}
