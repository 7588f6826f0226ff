/** One step of the scripted agent. */
export type Act =
  /**
   * `{operation}` is replaced by `operation` of the request; `{id METHOD}` by the JSON of the `id` of the last line on stdin
   * whose `method` begins with METHOD.
   */
  | { readonly write: string }
  /** Base64, because JSON cannot carry invalid UTF-8. */
  | { readonly bytes: string }
  | { readonly stderr: string; readonly times?: number }
  /** `ignoresSignals` makes the agent ignore all signals but SIGKILL from its start. */
  | { readonly pauseMs: number; readonly ignoresSignals?: true }
  /** Starts `sleep 30` with the same stdout: longer than a host should wait for the end of the pipe. */
  | { readonly grandchild: true }
  | { readonly untilLine: true }
  /** Waits for a line that is a JSON object with these members; of a list, with one of its values. */
  | { readonly untilObject: Readonly<Record<string, string | number | readonly string[]>> }
  | { readonly untilInputEnds: true }
  /** `ignoresInput` leaves stdin unread from the start. */
  | { readonly exit: number; readonly ignoresInput?: true };

/** The scripted agent begins at once (`start`), after the first line, or at the `end` of stdin. */
export type Trigger = 'start' | 'line' | 'end';

/** Observations of the scripted agent about its own process. */
export interface Recording {
  readonly pid: number;
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Names of all environment variables, without values: they may be secrets. */
  readonly variables: readonly string[];
  /** Values of variables whose names begin with `AGENT_` or `NIB_`. */
  readonly values: Readonly<Record<string, string>>;
  readonly stdin: string;
  readonly stdinClosed: boolean;
  readonly signals: readonly { readonly name: string; readonly ms: number }[];
  /** Pids of `grandchild` processes, which `observeHost` must kill. */
  readonly grandchildren: readonly number[];
}
