import { type Clock, sleep } from '../../clock.ts';
import { LONGEST_WAIT_MS } from '../channel.ts';

/** Limits IDENTIFY: after 1,000 in 24 h, Discord resets the token. */
export interface IdentifyLimit {
  /** Resolves when a session may be begun. Rejects when `signal` is aborted. */
  wait(signal: AbortSignal): Promise<void>;
}

/** `session_start_limit` of `GET /gateway/bot`. */
interface Budget {
  readonly remaining: number;
  readonly resetAfterMs: number;
}

/** Discord takes one IDENTIFY in 5 s. */
const SHORTEST_MS = 5_000;
const LONGEST_MS = 5 * 60_000;

/** Each IDENTIFY within this time doubles the next wait. */
const WINDOW_MS = 60 * 60_000;

const RETRY_MS = 10_000;

export function createIdentifyLimit(clock: Clock, readBudget: () => Promise<Budget>): IdentifyLimit {
  let times: number[] = [];
  return {
    async wait(signal) {
      times = times.filter((at) => clock.now() - at < WINDOW_MS);
      const last = times.at(-1);
      if (last !== undefined) {
        const interval = Math.min(LONGEST_MS, SHORTEST_MS * 2 ** (times.length - 1));
        await waitFor(clock, last + interval - clock.now(), signal);
      }
      for (;;) {
        // An unreadable budget counts as used up.
        const { remaining, resetAfterMs } = await readBudget().catch(() => ({
          ...{ remaining: 0, resetAfterMs: RETRY_MS },
        }));
        if (remaining > 0) break;
        await waitFor(clock, Math.min(Math.max(SHORTEST_MS, resetAfterMs), LONGEST_WAIT_MS), signal);
      }
      times.push(clock.now());
    },
  };
}

async function waitFor(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await sleep(clock, ms, signal);
  signal.throwIfAborted();
}
