/** How a command learns that it is to stop. */
export interface Interruption {
  readonly signal: AbortSignal;
  /** As a shell tells of the signal that has come; 0 when whoever read our output had enough. */
  readonly exitCode: number | undefined;
  /** Takes the listeners away again. */
  dispose(): void;
}

const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

type Name = keyof typeof CODES;

/**
 * Nobody reads our output any more. Not the signal SIGPIPE: who listens for that one is also sent it for every agent that
 * does not read its input to the end.
 */
const OUTPUT_CLOSED = 'plugboard-output-closed';

/** Ends what is under way as if it had been told to, and as a success: whoever read had enough. */
export function tellOutputClosed(): void {
  process.emit(OUTPUT_CLOSED as 'disconnect');
}

/**
 * The first signal stops gracefully; a second one calls `now`, which must not wait for anything. Ctrl-C is left to an
 * agent that has the terminal: it gets the same key and decides what it means.
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
