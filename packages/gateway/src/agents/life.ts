import type { Event } from '@plugboard/host';

/**
 * What the process of a resident agent is at.
 * - `parked`: there is none, and nothing to start one for.
 * - `starting`: it was started for background work, and has not said whether it has any.
 * - `busy`: it is used by turns, or was started for one.
 * - `idle`: it has no turn and no background work, and ends after `parkAfterMs`.
 * - `background`: it has no turn, and tasks or alarms.
 * - `failed`: it has ended with background work that a new process resumes. It is started again, at most `attempts` times.
 */
export type LifeState = 'parked' | 'starting' | 'busy' | 'idle' | 'background' | 'failed';

/**
 * - `used`: a turn has begun. `unused`: the last one has ended.
 * - `started`: the process is started for background work.
 * - `has-work`, `has-none`: the agent has said whether it has background work.
 * - `died`: the process has ended by itself.
 * - `evicted`: it is idle for `parkAfterMs`, or beyond the limit of idle processes.
 * - `silent`: it has said nothing about background work for `settleMs`.
 */
export type LifeSignal =
  | 'used'
  | 'unused'
  | 'started'
  | 'has-work'
  | 'has-none'
  | 'died'
  | 'evicted'
  | 'silent';

/** The facts that decide between two next states. */
export interface LifeFacts {
  /** Whether a process is running. */
  readonly isUp: boolean;
  /** Whether the process has sent `ready`. */
  readonly isReady: boolean;
  readonly work: BackgroundWork;
  /** Whether the store has a note that this agent has background work, which a new process resumes. */
  readonly isNoted: boolean;
  /** Whether its configuration has changed: it ends with its last turn. */
  readonly isRetired: boolean;
}

/**
 * Background work of a process, as far as its events tell. `perhaps`: it has called a tool that may begin some, and its
 * turn has not ended.
 */
export type BackgroundWork = 'unknown' | 'none' | 'perhaps' | 'some';

const withoutProcess = ({ isNoted }: LifeFacts): LifeState => (isNoted ? 'failed' : 'parked');

const whenUnused = (facts: LifeFacts): LifeState => {
  if (facts.isRetired) return 'parked';
  if (!facts.isUp) return withoutProcess(facts);
  return facts.work === 'some' ? 'background' : 'idle';
};

/** The next state by state and signal. A signal that is not listed changes nothing. */
const NEXT: Record<LifeState, Partial<Record<LifeSignal, LifeState | ((facts: LifeFacts) => LifeState)>>> = {
  parked: { used: 'busy', started: 'starting' },
  starting: {
    used: 'busy',
    'has-work': 'background',
    'has-none': 'idle',
    died: 'failed',
    silent: ({ isReady }) => (isReady ? 'parked' : 'failed'),
  },
  busy: { unused: whenUnused },
  idle: { used: 'busy', 'has-work': 'background', died: withoutProcess, evicted: 'parked' },
  background: { used: 'busy', 'has-none': 'idle', died: withoutProcess },
  failed: { used: 'busy', started: 'starting' },
};

/** The state after a signal. */
export function nextState(state: LifeState, signal: LifeSignal, facts: LifeFacts): LifeState {
  const next = NEXT[state][signal];
  return typeof next === 'function' ? next(facts) : (next ?? state);
}

/** Values of `status` of a task that has ended. */
const OVER = new Set(['completed', 'failed', 'cancelled', 'done', 'fired']);

/**
 * Background work after an event. An agent sends `tasks` before the `end` of the turn that created them, and a new
 * process sends `ready` first, and `tasks` only if it has any. `isLasting`: the tool of the event may begin work.
 */
export function workAfter(work: BackgroundWork, event: Event, isLasting: boolean): BackgroundWork {
  switch (event.type) {
    case 'ready':
      return 'unknown';
    case 'tool-call':
      return isLasting && work !== 'some' ? 'perhaps' : work;
    case 'tasks':
      return event.tasks.some(({ status }) => !OVER.has(status)) ? 'some' : 'none';
    case 'end':
      return event.outcome === 'success' && work === 'perhaps' ? 'none' : work;
    default:
      return work;
  }
}
