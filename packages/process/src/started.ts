import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { Exit } from './ending.ts';
import type { SpawnFailure } from './failure.ts';

/** What a process writes to stderr. It is read whether or not anybody listens. */
export interface ErrorOutput {
  onData(listener: (chunk: Buffer) => void): void;
  /** Resolves when what was written before the exit has been told to the listeners. */
  settled(): Promise<void>;
  close(): void;
}

/** How a process left, or why it is not there to leave. */
export interface Departure extends Exit {
  /** With a signal: it ran and was lost. Without: it never ran. */
  readonly failure?: SpawnFailure;
}

/** A process as seen by whoever started it: ourselves, or the spawn helper for us. */
export interface Started {
  /** Undefined until it is known. */
  readonly pid: () => number | undefined;
  readonly stdin: Writable | null;
  /** Bytes for stdin that the system has not taken. */
  readonly pendingInput: () => number;
  readonly stdout: Socket | null;
  readonly stderr: ErrorOutput | null;
  /** Whether it leads a process group of its own. */
  readonly grouped: boolean;
  /** Never rejects. */
  readonly departed: Promise<Departure>;
  /** To the whole group where there is one. */
  signal(name: NodeJS.Signals): void;
  /** Nothing more will be asked: what is kept for the process may go. */
  release(): void;
}
