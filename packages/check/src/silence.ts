import { dialects } from '@plugboard/protocol';
import { fail, skip, type Verdict } from './case.ts';
import type { Surroundings } from './observe/observe.ts';
import type { Sight } from './observe/sight.ts';

/** Who says nothing in so many processes, one after the other, is not going to answer the others. */
const PROCESSES = 3;

/** How long the agent has been silent, over all processes of a check. */
export interface Silence {
  readonly around: Pick<Surroundings, 'command' | 'dialect' | 'timeoutMs'>;
  /** Processes without a word, one after the other. */
  inARow: number;
  /** Some process has said something. */
  heard: boolean;
  /** Nothing more is to be expected. */
  final: boolean;
  /** Cases that were not tried for that reason. */
  untried: number;
}

/** Nothing is known yet. */
export function createSilence(around: Silence['around']): Silence {
  return { around, inARow: 0, heard: false, final: false, untried: 0 };
}

/** Takes note of one more process. One that was still running when hope was lost changes nothing. */
export function noteSight(silence: Silence, sight: Sight): void {
  if (silence.final) return;
  silence.heard ||= sight.stdout.length > 0;
  silence.inARow = isSilent(silence, sight) ? silence.inARow + 1 : 0;
  // A resident agent has to introduce itself before it is asked anything: one that does not is not going to do so later.
  const enough = isResident(silence) && !silence.heard ? 1 : PROCESSES;
  silence.final = silence.inARow >= enough;
}

/** The verdict on a case that is not tried any more; undefined while there is hope. */
export function untried(silence: Silence): Verdict | undefined {
  if (!silence.final) return undefined;
  silence.untried += 1;
  return skip('not tried: the agent never answered');
}

/** The verdict on the last case that was tried: whatever else it is about, silence is no answer. */
export function withHint(silence: Silence, sight: Sight, verdict: Verdict): Verdict {
  if (!silence.final || !isSilent(silence, sight)) return verdict;
  const failed =
    verdict.outcome === 'fail' ? verdict : fail(`an answer within ${limitOf(silence)}`, 'nothing');
  return { ...failed, hint: questionOf(silence) };
}

/** Why the check ended before all cases were tried; undefined when it did not. */
export function stoppedBy(silence: Silence): string | undefined {
  if (silence.untried === 0) return undefined;
  const { inARow } = silence;
  const times = inARow === 1 ? '' : `, ${inARow} times in a row`;
  const what = `The agent wrote nothing to stdout within ${limitOf(silence)}${times}`;
  return `${what}; the other cases were not tried. ${questionOf(silence)}`;
}

/** It ran until the time limit and wrote nothing. One that was told to end before had no time to. */
function isSilent({ around }: Silence, sight: Sight): boolean {
  const waited = sight.overdue || sight.missed !== undefined;
  const told = sight.signalMs !== undefined;
  return waited && !told && sight.stdout.length === 0 && sight.endedAt >= around.timeoutMs;
}

function isResident({ around }: Silence): boolean {
  return dialects[around.dialect].capabilities.resident;
}

function limitOf({ around }: Silence): string {
  const seconds = around.timeoutMs / 1000;
  return seconds === 1 ? '1 second' : `${seconds} seconds`;
}

/** What is most often the reason. */
function questionOf(silence: Silence): string {
  const { command } = silence.around;
  const longer = 'An agent that only needs longer gets it by --timeout.';
  if (!isResident(silence))
    return `Does the agent speak another dialect, which \`plugboard detect\` finds out, or wait for more input than one request? ${longer}`;
  if (!command.includes('--stdio')) return `Does the agent need --stdio on its command line? ${longer}`;
  return `Does the agent print and flush its first line, init, before it reads any input? ${longer}`;
}
