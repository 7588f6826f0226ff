import type { Readable } from 'node:stream';
import type { Cause, Ending } from './ending.ts';

/** Why a process is stopped from outside. */
export type StopCause = Exclude<Cause, 'exit' | 'signal' | 'spawn'>;

/** How much time a process is given to end by itself. */
export interface StopOptions {
  /** From SIGTERM to SIGKILL; default: the limit given to `spawn`. */
  graceMs?: number;
  /** From the end of stdin to SIGTERM; default 0. */
  inputGraceMs?: number;
}

/** A process that was started, or could not be: either way there is one `ended`. */
export interface Child {
  /** Undefined until it is known. */
  readonly pid: () => number | undefined;
  /**
   * Null when the terminal is inherited or nothing was started. It must be read (or resumed): `ended` waits for its
   * reader. A reader that `stop` leaves behind sees 'close' without 'end'.
   */
  readonly stdout: Readable | null;
  /** Never rejects. Settles at exit plus a bounded drain, when nothing of the process group is left. */
  readonly ended: Promise<Ending>;
  /** Settles when the process itself is gone; output may still be on its way. */
  readonly exited: Promise<void>;
  readonly stderrTail: () => string;
  /** False: the pipe is full. Data for a child that reads no more is dropped without an error, and answers true. */
  write(data: string | Uint8Array): boolean;
  /** Bytes accepted but not yet taken by the child. */
  readonly pendingInput: () => number;
  closeInput(last?: string | Uint8Array): void;
  /** Ends the child by force if need be. A second call can only shorten the grace; the first cause stands. */
  stop(cause: StopCause, options?: StopOptions): void;
  onStderr(listener: (chunk: Uint8Array) => void): void;
}
