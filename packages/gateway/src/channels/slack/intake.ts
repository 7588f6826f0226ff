import { reasonOf } from '@plugboard/protocol';
import { type Clock, sleep } from '../../clock.ts';
import type { Logger } from '../../log.ts';

/** Most messages that wait for `work`. Slack redelivers the rest, which are not acknowledged. */
const MOST_WAITING = 1_000;

/** Kept messages whose ids are remembered. */
const MOST_KEPT = 2_000;

const FIRST_MS = 200;
const LONGEST_MS = 30_000;

/**
 * Runs the work of each place in order. Slack redelivers an event 3 times in 6 minutes, and does not hold later events back:
 * `work` is therefore retried here until it succeeds.
 */
export interface Intake {
  /**
   * Runs `work` after that of earlier messages of the place. Settles when it has succeeded; under an `id` that is known, when
   * the first call does. Rejects when the channel is stopped.
   */
  take(place: string, id: string, work: () => Promise<void>): Promise<void>;
  stop(): void;
}

export function createIntake(clock: Clock, log: Logger, channel: string): Intake {
  const end = new AbortController();
  const known = new Map<string, Promise<void>>();
  const tails = new Map<string, Promise<void>>();
  let waiting = 0;

  const keep = async (work: () => Promise<void>): Promise<void> => {
    for (let waitMs = FIRST_MS; !end.signal.aborted; waitMs = Math.min(waitMs * 2, LONGEST_MS)) {
      try {
        return await work();
      } catch (error) {
        if (end.signal.aborted) break;
        log.warn(`A message was not kept, and is tried again: ${reasonOf(error)}`, {
          code: 'message-not-kept',
          channel,
        });
        await sleep(clock, waitMs, end.signal);
      }
    }
    throw new Error('The channel was stopped.');
  };
  const takeInOrder = async (place: string, work: () => Promise<void>): Promise<void> => {
    const before = tails.get(place);
    const own = (async () => {
      await before?.catch(() => {});
      await keep(work);
    })();
    tails.set(place, own);
    try {
      await own;
    } finally {
      if (tails.get(place) === own) tails.delete(place);
    }
  };
  return {
    take(place, id, work) {
      const first = known.get(id);
      if (first !== undefined) return first;
      if (waiting >= MOST_WAITING || end.signal.aborted)
        return Promise.reject(new Error('There is too much to keep.'));
      waiting += 1;
      const own = takeInOrder(place, work).finally(() => {
        waiting -= 1;
      });
      known.set(id, own);
      own.catch(() => known.delete(id));
      for (const [oldest] of known) if (known.size > MOST_KEPT + waiting) known.delete(oldest);
      return own;
    },
    stop: () => end.abort(),
  };
}
