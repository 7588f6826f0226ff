import type { Readable } from 'node:stream';
import type { Cause, Ending } from './ending.ts';

/** The reasons for which a caller of `Child.stop` ends a process. */
export type StopCause = Exclude<Cause, 'exit' | 'signal' | 'spawn'>;

/** The time that `Child.stop` gives a process to exit by itself. */
export interface StopOptions {
  /** Milliseconds from SIGTERM to SIGKILL; default: `killGraceMs` given to `spawn`. */
  graceMs?: number;
  /** Milliseconds from the end of stdin to SIGTERM; default 0. */
  inputGraceMs?: number;
}

/** A process, running or failed to start. Both cases settle `ended`. */
export interface Child {
  /** Undefined until the spawn helper has reported the process id. */
  readonly pid: () => number | undefined;
  /**
   * Null when the terminal is inherited or the start failed. The caller must read it (or call `resume`): `ended` waits
   * for the reader. A reader that is still waiting when `stop` gives up sees 'close' without 'end'.
   */
  readonly stdout: Readable | null;
  /** Never rejects. Settles at exit plus a bounded drain, when the process group is empty. */
  readonly ended: Promise<Ending>;
  /** Settles at the exit of the process; its output may still be in the pipe. */
  readonly exited: Promise<void>;
  readonly stderrTail: () => string;
  /**
   * Returns false when the pipe is full. Data for a child that has closed stdin is dropped without an error, and
   * returns true.
   */
  write(data: string | Uint8Array): boolean;
  /** Bytes accepted by `write` and not yet taken by the child. */
  readonly pendingInput: () => number;
  closeInput(last?: string | Uint8Array): void;
  /**
   * Ends the child, at last with SIGKILL. A second call can only shorten the grace; `cause` of the first call is
   * reported.
   */
  stop(cause: StopCause, options?: StopOptions): void;
  onStderr(listener: (chunk: Uint8Array) => void): void;
}
