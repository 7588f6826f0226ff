import { dialects } from '@plugboard/protocol';
import { fail, skip, type Verdict } from './case.ts';
import type { Surroundings } from './observe/observe.ts';
import type { Sight } from './observe/sight.ts';

/** Processes in a row that reach the time limit before the check is given up. */
const MOST_IN_A_ROW = 3;

/** Processes in all that reach the time limit before the check is given up: it bounds a check to some minutes. */
const MOST_IN_ALL = 8;

/** How a process used up its time: it wrote nothing, it wrote without end, or it was not done. */
type Kind = 'silent' | 'flood' | 'late';

/** Counts the processes of one check that had to be stopped. */
export interface TimeOuts {
  readonly around: Pick<Surroundings, 'command' | 'dialect' | 'timeoutMs'>;
  inARow: number;
  inAll: number;
  /** Some process has written to stdout. */
  heard: boolean;
  /** How the last process used up its time once no further case is tried. */
  final: Kind | undefined;
  /** Cases that were not tried for that reason. */
  untried: number;
}

/** Counts from zero. */
export function createTimeOuts(around: TimeOuts['around']): TimeOuts {
  return { around, inARow: 0, inAll: 0, heard: false, final: undefined, untried: 0 };
}

/** Counts one more process. A process that was still running when `final` was set changes nothing. */
export function noteSight(timeOuts: TimeOuts, sight: Sight): void {
  if (timeOuts.final !== undefined) return;
  timeOuts.heard ||= sight.stdout.length > 0;
  const kind = timeOutOf(timeOuts, sight);
  timeOuts.inARow = kind === undefined ? 0 : timeOuts.inARow + 1;
  timeOuts.inAll += kind === undefined ? 0 : 1;
  // A resident agent has to print init before it is asked anything: without it no later case can succeed.
  const inARow = isResident(timeOuts) && !timeOuts.heard ? 1 : MOST_IN_A_ROW;
  if (timeOuts.inARow >= inARow || timeOuts.inAll >= MOST_IN_ALL) timeOuts.final = kind;
}

/** The verdict on a case that is not tried any more; undefined while cases are tried. */
export function untried(timeOuts: TimeOuts): Verdict | undefined {
  if (timeOuts.final === undefined) return undefined;
  timeOuts.untried += 1;
  return skip(`not tried: ${TROUBLE[timeOuts.final]}`);
}

/** The verdict on the last case that was tried: it fails, whatever else it is about. */
export function withHint(timeOuts: TimeOuts, sight: Sight, verdict: Verdict): Verdict {
  if (timeOuts.final === undefined || timeOutOf(timeOuts, sight) === undefined) return verdict;
  const seen = timeOuts.final === 'silent' ? 'nothing' : TROUBLE[timeOuts.final];
  const failed = verdict.outcome === 'fail' ? verdict : fail(`an answer within ${limitOf(timeOuts)}`, seen);
  return { ...failed, hint: questionOf(timeOuts, timeOuts.final) };
}

/** Why the check ended before all cases were tried; undefined when it did not. */
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

/** Undefined for a process that ended in time, and for one that was sent a signal before its time was over. */
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

/** The most frequent reason. */
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
