import type { Ending } from '@plugboard/process';
import type { Event } from '@plugboard/protocol';
import type { Place } from './place.ts';

/** One line of stdout and when its last byte came, in milliseconds since the start. */
export interface SeenLine {
  readonly text: string;
  readonly at: number;
}

/** Something that is waited for; `done` sees all lines so far. */
export interface Wait {
  readonly what: string;
  done(lines: readonly SeenLine[]): boolean;
}

/** What is done to a process, one step after the other. */
export type Step =
  | { readonly send: string | Uint8Array }
  | { readonly wait: Wait }
  | { readonly pauseMs: number }
  | { readonly close: true }
  | { readonly signal: NodeJS.Signals }
  /** Kills it: nothing more is to be learned. */
  | { readonly stop: true };

/** How a process is started and what is then done to it. */
export interface Start {
  readonly env?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
  /** What is written to stdin in answer to a line of stdout, while stdin is open. */
  reply?(line: string): string | undefined;
  /** Contents of a file whose path goes into `NIB_AGENT_REQUEST_FILE`. */
  readonly requestFile?: string;
  /** Looks for processes that the agent leaves running. */
  readonly looksForLeftovers?: boolean;
  /** Reads the files of the project before and after. */
  readonly comparesFiles?: boolean;
}

/** Everything that could be seen of one process. */
export interface Sight {
  readonly start: Start;
  readonly place: Place;
  readonly stdout: Uint8Array;
  readonly lines: readonly SeenLine[];
  readonly stderr: string;
  readonly ending: Ending;
  /** When the process ended, in milliseconds since the start. */
  readonly endedAt: number;
  /** It had to be killed because it did not end within the time limit. */
  readonly overdue: boolean;
  /** It wrote more than any case asks for and was stopped; `overdue` is then true too. */
  readonly flooded: boolean;
  /** What was waited for in vain. */
  readonly missed?: string;
  /** How many lines had come when each step was done. */
  readonly marks: readonly number[];
  /** When each step was done, in milliseconds since the start. */
  readonly doneAt: readonly number[];
  /** From the signal to the end; undefined when there was no signal or the process had ended before it. */
  readonly signalMs?: number;
  /** Command lines of processes left running; undefined when nobody looked. */
  readonly leftovers?: readonly string[];
  /** The texts of the project by path; undefined when they were not compared. */
  readonly files?: Readonly<Record<'before' | 'after', ReadonlyMap<string, string>>>;
  /** The request file is still there. */
  readonly requestFileLeft: boolean;
  /** What our own host makes of it; empty for resident agents. */
  readonly events: readonly Event[];
}
