import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { Exit } from './ending.ts';
import type { SpawnFailure } from './spawn-failure.ts';

/** The stderr of a process. It is read even without a listener. */
export interface ErrorOutput {
  onData(listener: (chunk: Buffer) => void): void;
  /** Resolves when all output written before the exit has reached the listeners. */
  settled(): Promise<void>;
  close(): void;
}

/** The exit of a process, or the failure to start it. */
export interface Departure extends Exit {
  /** With a `signal`: the process ran and its helper died. Without: it never ran. */
  readonly failure?: SpawnFailure;
}

/** A process started by `spawn` or by the spawn helper. */
export interface StartedProcess {
  /** Undefined until the spawn helper has reported the process id. */
  readonly pid: () => number | undefined;
  readonly stdin: Writable | null;
  /** Bytes for stdin that the kernel has not taken. */
  readonly pendingInput: () => number;
  readonly stdout: Socket | null;
  readonly stderr: ErrorOutput | null;
  /** Whether it leads its own process group. */
  readonly grouped: boolean;
  /** Never rejects. */
  readonly departed: Promise<Departure>;
  /** Signals the whole group if `grouped`. */
  signal(name: NodeJS.Signals): void;
  /** Frees the helper's record of the process; no other member is called afterwards. */
  release(): void;
}
