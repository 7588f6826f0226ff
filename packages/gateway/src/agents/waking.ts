import type { Errand } from '@plugboard/store';
import type { Logger } from '../log.ts';

/** How agents are opened that nobody talks to. */
export interface WakingPace {
  /** How many may be starting at once. */
  readonly together: number;
  /** How long one may take to tell its tasks. */
  readonly settleMs: number;
  /** The wait before one whose process has ended is opened again; doubled each time. */
  readonly pauseMs: number;
  /** How often it is opened again before it is given up. */
  readonly attempts: number;
  /** One that has lived for so long starts afresh: its failures are forgotten. */
  readonly steadyMs: number;
  /** How often to look for room when there was none. */
  readonly lookMs: number;
}

export const PACE: WakingPace = {
  together: 2,
  settleMs: 60_000,
  pauseMs: 1_000,
  attempts: 5,
  steadyMs: 300_000,
  lookMs: 1_000,
};

export interface WakingOptions {
  readonly pace: WakingPace;
  readonly log: Logger;
  /** How many processes may be begun beside those that run. */
  readonly room: () => number;
  /** Begins the process. False when there is none to wait for: it is there already, or no longer wanted. */
  readonly open: (errand: Errand) => boolean;
  /** It has been there for `settleMs` without a word of what it is at. */
  readonly onSilent: (errand: Errand) => void;
}

/** Opens agents that have something to do and nobody to talk to: after a start of the gateway, and after they have died. */
export interface Waking {
  wake(errands: readonly Errand[]): void;
  /** It has come so far that the next one can be opened. */
  settled(sessionId: string): void;
  /** The process of an agent that has something to do has ended after so long. */
  fell(errand: Errand, livedMs: number): void;
  /** Somebody talks to it: what it did before is not held against it. */
  excuse(sessionId: string): void;
  close(): void;
}

/** What is known of those who are to be opened. */
interface State {
  readonly options: WakingOptions;
  readonly queue: Map<string, Errand>;
  /** Those that are coming up, by session, with the clock of each. */
  readonly rising: Map<string, NodeJS.Timeout>;
  /** Those that wait for their next attempt. */
  readonly resting: Map<string, NodeJS.Timeout>;
  readonly falls: Map<string, number>;
  look: NodeJS.Timeout | undefined;
  closed: boolean;
}

export function createWaking(options: WakingOptions): Waking {
  const state: State = {
    options,
    queue: new Map(),
    rising: new Map(),
    resting: new Map(),
    falls: new Map(),
    look: undefined,
    closed: false,
  };
  return {
    wake: (errands) => wake(state, errands),
    settled(sessionId) {
      if (!settle(state, sessionId)) return;
      pump(state);
    },
    fell: (errand, livedMs) => fell(state, errand, livedMs),
    excuse: (sessionId) => void state.falls.delete(sessionId),
    close() {
      state.closed = true;
      clearTimeout(state.look);
      for (const timer of [...state.rising.values(), ...state.resting.values()]) clearTimeout(timer);
    },
  };
}

function wake(state: State, errands: readonly Errand[]): void {
  for (const errand of errands) {
    const { sessionId } = errand;
    if (!state.rising.has(sessionId) && !state.resting.has(sessionId)) state.queue.set(sessionId, errand);
  }
  pump(state);
}

/** Opens as many as may come up at once. */
function pump(state: State): void {
  const { queue, rising, options } = state;
  clearTimeout(state.look);
  for (const [sessionId, errand] of queue) {
    if (state.closed || rising.size >= options.pace.together) return;
    if (rising.size >= options.room()) {
      state.look = setTimeout(pump, options.pace.lookMs, state).unref();
      return;
    }
    queue.delete(sessionId);
    if (options.open(errand))
      rising.set(sessionId, setTimeout(silent, options.pace.settleMs, state, errand).unref());
  }
}

function silent(state: State, errand: Errand): void {
  settle(state, errand.sessionId);
  state.options.onSilent(errand);
  pump(state);
}

function settle({ rising }: State, sessionId: string): boolean {
  clearTimeout(rising.get(sessionId));
  return rising.delete(sessionId);
}

function fell(state: State, errand: Errand, livedMs: number): void {
  const { falls, resting, options } = state;
  const { pace, log } = options;
  const { sessionId, agent } = errand;
  settle(state, sessionId);
  pump(state);
  if (state.closed || resting.has(sessionId)) return;
  const before = livedMs >= pace.steadyMs ? 0 : (falls.get(sessionId) ?? 0);
  const fields = { agent, session: sessionId };
  if (before >= pace.attempts) {
    const often = `It has ended ${before + 1} times`;
    log.error(
      `An agent has something to do and does not stay. ${often}: it is left until it is needed.`,
      fields,
    );
    return;
  }
  falls.set(sessionId, before + 1);
  const again = (): void => {
    resting.delete(sessionId);
    wake(state, [errand]);
  };
  resting.set(sessionId, setTimeout(again, pace.pauseMs * 2 ** before).unref());
  log.warn('An agent that has something to do has ended; it is opened again.', fields);
}
