/** setTimeout fires at once for longer delays than this; a limit of weeks is no limit. */
const LONGEST_MS = 2 ** 31 - 1;

/** Why a turn ran out of time. */
export interface Expiry {
  readonly code: 'timeout' | 'idle-timeout';
  readonly message: string;
}

/** The clocks of one turn. */
export interface Deadline {
  /** The agent said something: the silence starts anew. */
  heard(): void;
  /** Stops both clocks. */
  clear(): void;
}

/** Starts the clock of the whole turn and the clock of silence; 0 or less means that there is none. */
export function startDeadline(
  limits: { readonly timeoutSecs: number; readonly idleTimeoutSecs: number },
  onExpired: (expiry: Expiry) => void,
): Deadline {
  const { timeoutSecs, idleTimeoutSecs } = limits;
  const whole = after(timeoutSecs, () =>
    onExpired({
      code: 'timeout',
      message: `The agent did not finish within ${timeoutSecs} s and was stopped.`,
    }),
  );
  const idle = after(idleTimeoutSecs, () =>
    onExpired({
      code: 'idle-timeout',
      message: `The agent was silent for ${idleTimeoutSecs} s and was stopped.`,
    }),
  );
  return {
    heard: () => idle?.refresh(),
    clear() {
      clearTimeout(whole);
      clearTimeout(idle);
    },
  };
}

function after(secs: number, act: () => void): NodeJS.Timeout | undefined {
  return secs > 0 && secs * 1000 <= LONGEST_MS ? setTimeout(act, secs * 1000) : undefined;
}
