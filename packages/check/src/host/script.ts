/** One thing that the scripted agent does. */
export type Act =
  /** `{operation}` is filled in from the request. */
  | { readonly write: string }
  /** In base64, for what is no text. */
  | { readonly bytes: string }
  | { readonly stderr: string; readonly times?: number }
  /** `ignoresSignals` lets no signal but SIGKILL end the agent, from the beginning. */
  | { readonly pauseMs: number; readonly ignoresSignals?: true }
  /** Starts a process that holds stdout open for longer than a host should wait. */
  | { readonly grandchild: true }
  /** Waits for a line of input, or for the end of it. */
  | { readonly untilLine: true }
  | { readonly untilInputEnds: true }
  /** `ignoresInput` leaves stdin unread from the beginning. */
  | { readonly exit: number; readonly ignoresInput?: true };

/** When the scripted agent begins: at once, or when a line, or all of its input, has come. */
export type Trigger = 'start' | 'line' | 'end';

/** What the scripted agent has written down. */
export interface Recording {
  readonly pid: number;
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The names of all its variables. */
  readonly variables: readonly string[];
  /** The values of those whose names begin with AGENT_ or NIB_. */
  readonly values: Readonly<Record<string, string>>;
  readonly stdin: string;
  readonly stdinClosed: boolean;
  readonly signals: readonly { readonly name: string; readonly ms: number }[];
  /** What it has left running, for the one who started it all to end. */
  readonly grandchildren: readonly number[];
}
