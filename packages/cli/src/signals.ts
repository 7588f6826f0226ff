/** Tells a command about signals and about a closed stdout. */
export interface Interruption {
  readonly signal: AbortSignal;
  /** 128 plus the number of the signal; 0 when stdout was closed by its reader; undefined without an interruption. */
  readonly exitCode: number | undefined;
  /** Removes all listeners of `watchInterruption`. */
  dispose(): void;
}

const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

type Name = keyof typeof CODES;

/**
 * Event for a closed stdout. It is not SIGPIPE: a listener for SIGPIPE is also called when an agent closes its stdin
 * early.
 */
const OUTPUT_CLOSED = 'plugboard-output-closed';

/** Ends the command as a signal would, with exit code 0: the reader of stdout has closed it. */
export function tellOutputClosed(): void {
  process.emit(OUTPUT_CLOSED as 'disconnect');
}

/**
 * The first signal aborts `signal`; the second calls `now`, which must not wait. With `agentHasTerminal` SIGINT is
 * ignored, because the agent gets the same Ctrl-C and handles it.
 */
export function watchInterruption(now: () => void, agentHasTerminal = false): Interruption {
  const controller = new AbortController();
  let exitCode: number | undefined;
  const stop = (code: number, why: string): void => {
    if (exitCode !== undefined) return now();
    exitCode = code;
    controller.abort(new Error(why));
  };
  const onSignal = (name: NodeJS.Signals): void => {
    if (name === 'SIGINT' && agentHasTerminal) return;
    stop(CODES[name as Name], `Stopped by ${name}.`);
  };
  const onClosed = (): void => stop(0, 'Nobody reads the output.');
  const names = Object.keys(CODES) as Name[];
  for (const name of names) process.on(name, onSignal);
  process.on(OUTPUT_CLOSED, onClosed);
  return {
    signal: controller.signal,
    get exitCode() {
      return exitCode;
    },
    dispose() {
      for (const name of names) process.off(name, onSignal);
      process.off(OUTPUT_CLOSED, onClosed);
    },
  };
}
