import type { Ending } from '@plugboard/process';
import type { Event } from '@plugboard/protocol';
import type { Place } from './place.ts';

/** One line of stdout; `at` is when its last byte came, in ms since the start. */
export interface SeenLine {
  readonly text: string;
  readonly at: number;
}

/** Condition on the lines so far; `what` names it in the report. */
export interface Wait {
  readonly what: string;
  done(lines: readonly SeenLine[]): boolean;
}

/** One action of the check on a process. */
export type Step =
  /** Input of the process; a function makes it from the lines so far, for ids that the agent gave. */
  | { readonly send: string | Uint8Array | ((lines: readonly SeenLine[]) => string) }
  | { readonly wait: Wait }
  | { readonly pauseMs: number }
  /** Pauses for this time, and then until the agent is idle (`waitUntilIdle`). */
  | { readonly settleMs: number }
  | { readonly close: true }
  | { readonly signal: NodeJS.Signals }
  /** Kills the process; it does not count as `overdue`. */
  | { readonly stop: true };

/** Input of one process. */
export interface Start {
  readonly env?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
  /** Text for stdin in answer to a line of stdout, while stdin is open. */
  reply?(line: string): string | undefined;
  /** Contents of a file whose path goes into `NIB_AGENT_REQUEST_FILE`. */
  readonly requestFile?: string;
  /** Fills `Sight.leftovers`. */
  readonly looksForLeftovers?: boolean;
  /** Fills `Sight.files`. */
  readonly comparesFiles?: boolean;
}

/** Observation of one process. */
export interface Sight {
  readonly start: Start;
  readonly place: Place;
  readonly stdout: Uint8Array;
  readonly lines: readonly SeenLine[];
  readonly stderr: string;
  readonly ending: Ending;
  /** Time of the exit in ms since the start. */
  readonly endedAt: number;
  /** Killed, because it did not exit within the limit. */
  readonly overdue: boolean;
  /** Stopped above `MOST_BYTES` or `MOST_LINES`; `overdue` is then true too. */
  readonly flooded: boolean;
  /** `what` of the `Wait` that timed out. */
  readonly missed?: string;
  /** Number of lines after each step. */
  readonly marks: readonly number[];
  /** Time of each step in ms since the start. */
  readonly doneAt: readonly number[];
  /** Time from the signal to the exit; `undefined` without a signal, or if the process had exited before it. */
  readonly signalMs?: number;
  /** Command lines of processes left running; `undefined` without `looksForLeftovers`. */
  readonly leftovers?: readonly string[];
  /** Texts of the project by path; `undefined` without `comparesFiles`. */
  readonly files?: Readonly<Record<'before' | 'after', ReadonlyMap<string, string>>>;
  /** The agent did not delete `requestFile`. */
  readonly requestFileLeft: boolean;
  /** Events that `eventsOf` reads from the lines; empty for resident agents. */
  readonly events: readonly Event[];
}
