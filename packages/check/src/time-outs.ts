import { dialects } from '@plugboard/protocol';
import { createFailure, createSkip, type Verdict } from './case.ts';
import type { Surroundings } from './observe/observe.ts';
import type { Sight } from './observe/sight.ts';

/** The check stops after 3 timed-out processes in a row. */
const MOST_IN_A_ROW = 3;

/** The check stops after 8 timed-out processes in all, which bounds it to some minutes. */
const MOST_IN_ALL = 8;

/** `silent`: no output; `flood`: stopped by the output limit; `late`: output, but no end in time. */
type Kind = 'silent' | 'flood' | 'late';

/** Counts timed-out processes of one check. */
export interface TimeOuts {
  readonly around: Pick<Surroundings, 'command' | 'dialect' | 'timeoutMs'>;
  inARow: number;
  inAll: number;
  /** True once any process wrote to stdout. */
  heard: boolean;
  /** Set when the check stops, with the kind of the last time-out. */
  final: Kind | undefined;
  /** Number of cases that were skipped after `final` was set. */
  untried: number;
}

export function createTimeOuts(around: TimeOuts['around']): TimeOuts {
  return { around, inARow: 0, inAll: 0, heard: false, final: undefined, untried: 0 };
}

/** Counts one process. With `concurrency` 2 another process may end after `final` was set: it is ignored. */
export function noteSight(timeOuts: TimeOuts, sight: Sight): void {
  if (timeOuts.final !== undefined) return;
  timeOuts.heard ||= sight.stdout.length > 0;
  const kind = timeOutOf(timeOuts, sight);
  timeOuts.inARow = kind === undefined ? 0 : timeOuts.inARow + 1;
  timeOuts.inAll += kind === undefined ? 0 : 1;
  // A resident agent prints `init` without input: if it is silent once, no later case can succeed.
  const inARow = isResident(timeOuts) && !timeOuts.heard ? 1 : MOST_IN_A_ROW;
  if (timeOuts.inARow >= inARow || timeOuts.inAll >= MOST_IN_ALL) timeOuts.final = kind;
}

/** `skip` once `final` is set; `undefined` before that. */
export function skipUntried(timeOuts: TimeOuts): Verdict | undefined {
  if (timeOuts.final === undefined) return undefined;
  timeOuts.untried += 1;
  return createSkip(`not tried: ${TROUBLE[timeOuts.final]}`);
}

/** Turns the verdict on the last timed-out process into a `fail` with a hint about the time-out. */
export function withHint(timeOuts: TimeOuts, sight: Sight, verdict: Verdict): Verdict {
  if (timeOuts.final === undefined || timeOutOf(timeOuts, sight) === undefined) return verdict;
  const seen = timeOuts.final === 'silent' ? 'nothing' : TROUBLE[timeOuts.final];
  const failed =
    verdict.outcome === 'fail' ? verdict : createFailure(`an answer within ${limitOf(timeOuts)}`, seen);
  return { ...failed, hint: questionOf(timeOuts, timeOuts.final) };
}

/** Reason for `Report.stopped`; `undefined` if all cases were tried. */
export function stoppedBy(timeOuts: TimeOuts): string | undefined {
  const { untried, final, inARow, inAll } = timeOuts;
  if (untried === 0 || final === undefined) return undefined;
  const inRow = inARow === 1 ? '' : `, ${inARow} times in a row`;
  const times = inARow >= MOST_IN_A_ROW || inAll === inARow ? inRow : `, ${inAll} times`;
  const what = SENTENCES[final].replace('{limit}', limitOf(timeOuts));
  return `${what}${times}; the other cases were not tried. ${questionOf(timeOuts, final)}`;
}

const TROUBLE: Readonly<Record<Kind, string>> = {
  silent: 'the agent never answered',
  flood: 'the agent did not stop writing',
  late: 'the agent was not done in time',
};

const SENTENCES: Readonly<Record<Kind, string>> = {
  silent: 'The agent wrote nothing to stdout within {limit}',
  flood: 'The agent did not stop writing',
  late: 'The agent was not done within {limit}',
};

/** `undefined` for a process that exited in time or got a signal step. */
function timeOutOf({ around }: TimeOuts, sight: Sight): Kind | undefined {
  if (sight.flooded) return 'flood';
  const waited = sight.overdue || sight.missed !== undefined;
  if (!waited || sight.signalMs !== undefined || sight.endedAt < around.timeoutMs) return undefined;
  return sight.stdout.length === 0 ? 'silent' : 'late';
}

function isResident({ around }: TimeOuts): boolean {
  return dialects[around.dialect].capabilities.resident;
}

function limitOf({ around }: TimeOuts): string {
  const seconds = around.timeoutMs / 1000;
  return seconds === 1 ? '1 second' : `${seconds} seconds`;
}

/** Asks about the most frequent cause of a time-out of this kind. */
function questionOf(timeOuts: TimeOuts, kind: Kind): string {
  const { command } = timeOuts.around;
  const longer = 'An agent that only needs longer gets it by --timeout.';
  if (kind === 'flood') return 'Is this a program that answers once and ends?';
  if (!isResident(timeOuts)) {
    return kind === 'silent'
      ? `Does the agent speak another dialect, which \`plugboard detect\` finds out, or wait for more input than one request? ${longer}`
      : `Does the agent exit when its answer is written? ${longer}`;
  }
  if (timeOuts.heard) return `Does the agent print a line for each turn and each control? ${longer}`;
  if (!command.includes('--stdio')) return `Does the agent need --stdio on its command line? ${longer}`;
  return `Does the agent print and flush its first line, init, before it reads any input? ${longer}`;
}
