import type { Keyboard } from './terminal/keyboard.ts';
import type { ChildEnd, ChildOptions } from './terminal/run-child.ts';

/** The environment of a command: terminal, variables, clock, programs. A test passes its own. */
export interface Env {
  /** The directory nib was called in, as `PWD` of the shell names it. */
  readonly cwd: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Writes data to stdout. */
  readonly out: (text: string) => void;
  /** Writes messages for the person to stderr. */
  readonly err: (text: string) => void;
  readonly keyboard: Keyboard;
  readonly screen: Screen;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Runs a program to its end, with the terminal or with pipes. */
  readonly run: (argv: readonly string[], options: ChildOptions) => Promise<ChildEnd>;
  /**
   * Calls `listener` for each stop signal, until the returned function is called. Without a listener a signal ends nib
   * at once.
   */
  readonly onStop: (listener: (signal: StopSignal) => void) => () => void;
}

/** Signals that ask a program to end; SIGINT is Ctrl-C. */
export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** Whether stdout and stderr are terminals, and the width of the terminal. */
interface Screen {
  readonly out: boolean;
  readonly err: boolean;
  readonly columns: () => number;
}
