import type { ChildEnd, ChildOptions } from './terminal/child.ts';
import type { Keyboard } from './terminal/keyboard.ts';

/** What a command gets from the world around it, so that a test can be that world. */
export interface Env {
  /** The directory nib was called in, as the shell names it. */
  readonly cwd: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Data for whoever reads our output. */
  readonly out: (text: string) => void;
  /** Messages for the person. */
  readonly err: (text: string) => void;
  readonly keyboard: Keyboard;
  readonly screen: Screen;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Runs a program to its end, either with the terminal or with pipes. */
  readonly run: (argv: readonly string[], options: ChildOptions) => Promise<ChildEnd>;
  /**
   * Tells whoever listens that nib is asked to end, until the function it gives back is called. A signal that nobody
   * listens to ends nib at once.
   */
  readonly onStop: (listener: (signal: StopSignal) => void) => () => void;
}

/** What a person or the system sends to make a program end; SIGINT is Ctrl-C. */
export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** Whether our output is seen on a terminal, and how wide that is. */
interface Screen {
  readonly out: boolean;
  readonly err: boolean;
  readonly columns: () => number;
}
