import { type Clock, systemClock } from './clock.ts';
import { isPassing } from './error.ts';

const FIRST_PAUSE_MS = 300;
const LONGEST_PAUSE_MS = 15_000;
const PATIENCE_MS = 60_000;

/** The pause before try number `attempt`, counted from 0: doubles up to 15 s, and is spread so that many clients do not come at once. */
export function backoff(attempt: number, random: () => number = Math.random): number {
  const whole = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(attempt, 10));
  return whole * (0.5 + random() / 2);
}

export interface PatienceOptions {
  /** How long failures may go on before the last one is thrown; 0 for a single try, 60 s by default. */
  readonly patienceMs?: number;
  readonly longestPauseMs?: number;
  /** Which failures are waited out; by default those of `isPassing`. */
  readonly isPassing?: (error: unknown) => boolean;
  /** Called with the first failure of a row, and with `undefined` once it is over. */
  readonly onAway?: (error: unknown) => void;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
}

/** Tries of one request, until it works or `patienceMs` is over. */
export interface Patience {
  succeeded(): void;
  /** Waits before the next try, or throws `error` when another try is of no use. */
  failed(error: unknown): Promise<void>;
}

/** Counts the failures of one request for a caller that repeats it by itself; `insist` repeats it. */
export function createPatience(options: PatienceOptions = {}): Patience {
  const {
    patienceMs = PATIENCE_MS,
    longestPauseMs = LONGEST_PAUSE_MS,
    clock = systemClock,
    signal,
  } = options;
  let since: number | undefined;
  let attempt = 0;
  return {
    succeeded() {
      if (since !== undefined) options.onAway?.(undefined);
      since = undefined;
      attempt = 0;
    },
    async failed(error) {
      if (!(options.isPassing ?? isPassing)(error)) throw error;
      if (since === undefined && patienceMs > 0) options.onAway?.(error);
      since ??= clock.now();
      if (signal?.aborted || clock.now() - since >= patienceMs) throw error;
      await clock.sleep(Math.min(backoff(attempt), longestPauseMs), signal);
      attempt += 1;
    },
  };
}

/** Repeats `ask` until it is answered. A request is asked more than once, so it must be safe to repeat: give messages an `id`. */
export async function insist<T>(ask: () => Promise<T>, options: PatienceOptions = {}): Promise<T> {
  const patience = createPatience(options);
  for (;;) {
    try {
      const answer = await ask();
      patience.succeeded();
      return answer;
    } catch (error) {
      await patience.failed(error);
    }
  }
}
