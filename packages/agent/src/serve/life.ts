/** What serving needs of the process around it. */
export interface Life {
  /** Aborted when the process is asked to end. */
  readonly signal: AbortSignal;
  /** How long a handler may go on speaking when its turn was cancelled; 0: not at all. */
  readonly lastWordsMs: number;
}

/** How long a handler has to wind up after SIGTERM before the process ends without it. */
const WIND_UP_MS = 2_000;

/** The life of this process, which signals end. */
export interface ProcessLife extends Life {
  /** Set once a signal has decided how the process ends. */
  exitCode: number | undefined;
  /** Settles when a signal came and the handler did not wind up in time. */
  readonly overdue: Promise<number>;
  /** Winds everything up, as a signal does. */
  end(exitCode: number): void;
}

/** The first signal cancels the turn and lets the end of it be said; the process does not wait for ever. */
export function watchSignals(lastWordsMs: number): ProcessLife {
  const controller = new AbortController();
  let giveUp: (code: number) => void = () => {};
  const life: ProcessLife = {
    signal: controller.signal,
    lastWordsMs,
    exitCode: undefined,
    overdue: new Promise((resolve) => {
      giveUp = resolve;
    }),
    end(code) {
      if (life.exitCode !== undefined) return;
      life.exitCode = code;
      controller.abort(Object.assign(new Error('The agent was asked to end.'), { code: 'ending' }));
      setTimeout(giveUp, WIND_UP_MS, code).unref();
      process.stdin.destroy();
    },
  };
  process.on('SIGTERM', () => life.end(143));
  process.on('SIGINT', () => life.end(130));
  process.on('SIGHUP', () => life.end(129));
  return life;
}
