import type { Clock } from '../../clock.ts';
import { SendError } from '../channel.ts';

/** Two 429 in different chats within 5 s concern the whole bot. */
const WINDOW_MS = 5_000;

/** Runs a call for a place. A 429 in several places at once gets the scope `channel`. */
export type FloodWatch = <T>(place: string, run: () => Promise<T>) => Promise<T>;

export function createFloodWatch({ now }: Pick<Clock, 'now'>): FloodWatch {
  let last: { readonly place: string; readonly at: number } | undefined;
  return async (place, run) => {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof SendError) || error.problem !== 'later' || error.afterMs === undefined)
        throw error;
      const before = last;
      last = { place, at: now() };
      if (before === undefined || before.place === place || now() - before.at > WINDOW_MS) throw error;
      throw new SendError('later', error.message, { afterMs: error.afterMs, scope: 'channel' });
    }
  };
}
