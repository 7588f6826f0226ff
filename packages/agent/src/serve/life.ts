export interface Life {
  /** Aborted by SIGTERM, SIGINT, SIGHUP, or a closed stdout. */
  readonly signal: AbortSignal;
  /** Time after an abort in which events of the handler are still emitted; 0 drops them at once. */
  readonly lastWordsMs: number;
}

/** Time from a signal to `overdue`, in which the handler can finish. */
const WIND_UP_MS = 2_000;

export interface ProcessLife extends Life {
  /** Set by the first `end`; it replaces the exit code of the dialect. */
  exitCode: number | undefined;
  /** Settles with the exit code `WIND_UP_MS` after `end`. */
  readonly overdue: Promise<number>;
  /** Aborts `signal`, as SIGTERM does. */
  end(exitCode: number): void;
}

/** A signal aborts the turn, so that its `end` is still written. Later signals are ignored: `WIND_UP_MS` bounds the wait. */
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
