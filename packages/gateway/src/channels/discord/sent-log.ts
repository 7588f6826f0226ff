import type { Clock } from '../../clock.ts';
import type { SendContext } from '../channel.ts';
import { nonceOf } from './outgoing.ts';

/** Deliveries of this process by `SendContext.id`, for `resolve`. */
export interface SentLog {
  /** Notes that an attempt begins. */
  begin(delivery: SendContext): void;
  /** Notes the id of a message of the bot, by the nonce that Discord repeats in its event. */
  noteMessage(nonce: string, messageId: string): void;
  /** Id of the message of a delivery; undefined when its event has not come. */
  findMessage(deliveryId: string): string | undefined;
  /** Lower bound for the time of the first attempt, by `Clock.date`; undefined without `createdAt`. */
  firstTriedAt(delivery: SendContext): number | undefined;
}

const MOST_NOTED = 10_000;

export function createSentLog({ date }: Pick<Clock, 'date'>): SentLog {
  const began = new Map<string, number>();
  const arrived = new Map<string, string>();
  return {
    begin({ id, attempt, createdAt }) {
      if (began.has(id)) return;
      // With `attempt` above 1, another process may have made the first attempt.
      keepNewest(began, id, attempt > 1 ? (createdAt ?? date()) : date());
    },
    noteMessage: (nonce, messageId) => keepNewest(arrived, nonce, messageId),
    findMessage: (id) => arrived.get(nonceOf(id)),
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
