import type { SlackCalls } from './calls.ts';
import { readPlace } from './place.ts';
import { SlackCallError } from './problems.ts';

/** Slack shows it until the next message, for 120 s at most. */
const WORKING = 'is working…';

/** The typing sign, which Slack has in threads only. */
export interface Status {
  /** Resolves without a call outside of threads. */
  show(place: string): Promise<void>;
  /** Removes the sign after `chat.update`, which does not. Never rejects. */
  clear(place: string): Promise<void>;
  /** Called when `chat.postMessage` removes the sign. */
  forget(place: string): void;
}

export function createStatus(calls: SlackCalls): Status {
  const shown = new Set<string>();
  let isRefused = false;
  const set = async (place: string, status: string): Promise<void> => {
    const { channel, thread } = readPlace(place);
    if (thread === undefined || isRefused) return;
    try {
      await calls.call('assistant.threads.setStatus', { channel_id: channel, thread_ts: thread, status });
    } catch (error) {
      // A missing scope, or a workspace without the feature.
      if (error instanceof SlackCallError && error.word !== undefined && error.problem !== 'later')
        isRefused = error.word !== 'channel_not_found';
      else throw error;
    }
  };
  return {
    async show(place) {
      await set(place, WORKING);
      shown.add(place);
    },
    async clear(place) {
      if (shown.delete(place)) await set(place, '').catch(() => {});
    },
    forget: (place) => void shown.delete(place),
  };
}
