import type { Clock, Due } from './clock.ts';

/** Why a turn ran out of time. */
export interface Expiry {
  readonly code: 'timeout' | 'idle-timeout';
  readonly message: string;
}

/** The time that one turn has. */
export interface Deadline {
  /** The agent has written output: the idle time starts anew. */
  heard(): void;
  /** The turn is over. */
  clear(): void;
}

/** A turn as its clock sees it. */
export interface Timed {
  /** Whether back-pressure or an open `ask` is the reason for the agent's silence. */
  isHeld(): boolean;
  onExpired(expiry: Expiry): void;
}

/** Starts the total time and the idle time of a turn. 0 or less means no limit. */
export function startDeadline(
  clock: Clock,
  limits: { readonly timeoutSecs: number; readonly idleTimeoutSecs: number },
  { isHeld, onExpired }: Timed,
): Deadline {
  const { timeoutSecs, idleTimeoutSecs } = limits;
  const whole = dueAfter(clock, timeoutSecs, () =>
    onExpired({
      code: 'timeout',
      message: `The agent did not finish within ${timeoutSecs} s and was stopped.`,
    }),
  );
  const idle = dueAfter(clock, idleTimeoutSecs, () => {
    if (isHeld()) return restart();
    const message = `The agent was silent for ${idleTimeoutSecs} s and was stopped.`;
    onExpired({ code: 'idle-timeout', message });
  });
  const heard = (): void => {
    if (idle !== undefined) idle.at = performance.now() + idleTimeoutSecs * 1000;
  };
  const restart = (): void => {
    heard();
    if (idle !== undefined) clock.add(idle);
  };
  return {
    heard,
    clear() {
      clock.remove(whole);
      clock.remove(idle);
    },
  };
}

function dueAfter(clock: Clock, secs: number, act: () => void): Due | undefined {
  if (secs <= 0) return undefined;
  const due = { at: performance.now() + secs * 1000, act };
  clock.add(due);
  return due;
}
