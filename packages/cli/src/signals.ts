/** How a command learns that it is to stop. */
export interface Interruption {
  readonly signal: AbortSignal;
  /** 130 or 143 once a signal has come. */
  readonly exitCode: number | undefined;
  /** Takes the listeners away again. */
  dispose(): void;
}

const CODES: Readonly<Partial<Record<NodeJS.Signals, number>>> = {
  SIGINT: 130,
  SIGTERM: 143,
  SIGHUP: 129,
  SIGPIPE: 0,
};

/**
 * The first signal stops gracefully; a second one calls `now`, which must not wait for anything. Ctrl-C is left to an
 * agent that has the terminal: it gets the same key and decides what it means.
 */
export function watchInterruption(now: () => void, agentHasTerminal = false): Interruption {
  const controller = new AbortController();
  let exitCode: number | undefined;
  const onSignal = (name: NodeJS.Signals): void => {
    if (name === 'SIGINT' && agentHasTerminal) return;
    if (exitCode !== undefined) return now();
    exitCode = CODES[name];
    controller.abort(new Error(`Stopped by ${name}.`));
  };
  const names = Object.keys(CODES) as NodeJS.Signals[];
  for (const name of names) process.on(name, onSignal);
  return {
    signal: controller.signal,
    get exitCode() {
      return exitCode;
    },
    dispose() {
      for (const name of names) process.off(name, onSignal);
    },
  };
}
