import { isUtf8 } from 'node:buffer';
import { createFailure, createSkip, createVerdict, type Expectation, PASS } from '../case.ts';
import type { Seen } from '../cases/scene.ts';
import type { Sight } from '../observe/sight.ts';

/** `shortenText` cuts to 300 characters, so more lines would be joined for no reader. */
const MOST_LINES_SHOWN = 100;

/** Exit code, stdout and the end of stderr, as `seen` of a failed case. */
export function describeRun({ lines, stderr, ending }: Sight): string {
  const shown = lines.slice(0, MOST_LINES_SHOWN).map(({ text }) => text);
  const out = lines.length === 0 ? 'nothing on stdout' : `on stdout: ${shown.join('\n')}`;
  const trouble = stderr.trim() === '' ? '' : `; on stderr: ${stderr.trim().slice(-400)}`;
  return `exit code ${ending.exitCode}, ${out}${trouble}`;
}

/** The process ends within `timeoutMs`, without SIGKILL. */
export const endsByItself: Expectation<Seen> = {
  name: 'ends by itself',
  look({ last }) {
    const how = last.flooded ? 'it was still writing' : 'it was still running';
    const seen = `${how} after ${Math.round(last.endedAt)} ms; ${describeRun(last)}`;
    return createVerdict(!last.overdue, 'the process to end by itself once it has answered', seen);
  },
};

/** The process ends within `graceMs` after SIGTERM. */
export const endsAfterSignal: Expectation<Seen> = {
  name: 'ends after SIGTERM',
  look({ last }) {
    if (last.signalMs === undefined) return createSkip('it had ended before the signal');
    return createVerdict(
      !last.overdue,
      'the process to end soon after SIGTERM',
      `it was still running after ${Math.round(last.signalMs)} ms`,
    );
  },
};

/** The exit code after SIGTERM is not 0: 0 means a complete answer. */
export const failsAfterSignal: Expectation<Seen> = {
  name: 'does not call SIGTERM a success',
  look({ last }) {
    if (last.signalMs === undefined || last.overdue) return createSkip('SIGTERM did not end it');
    return createVerdict(
      last.ending.exitCode !== 0,
      'an exit code of 143, or another one than 0',
      'exit code 0',
    );
  },
};

/** In a run below 2000 ms, output at its end may still have been flushed at once. */
const TELLING_MS = 2_000;

/** Output less than 100 ms before the exit counts as flushed by the exit. */
const TOGETHER_MS = 100;

/**
 * In a run above `TELLING_MS`, the first line for which `isPiece` holds comes at least `TOGETHER_MS` before the exit.
 */
export function flushesEarly(what: string, isPiece: (line: string) => boolean): Expectation<Seen> {
  return {
    name: `flushes each ${what}`,
    look({ last }) {
      const first = last.lines.find(({ text }) => isPiece(text));
      if (first === undefined) return createSkip(`it said no ${what}`);
      if (last.endedAt < TELLING_MS) return createSkip('it was too quick to tell');
      return createVerdict(
        first.at < last.endedAt - TOGETHER_MS,
        `the first ${what} to come before the process ends`,
        `it came ${Math.round(last.endedAt - first.at)} ms before the end of a run of ${Math.round(last.endedAt)} ms`,
      );
    },
  };
}

/** No process with the tag of the agent is alive after the agent has ended. */
export const leavesNothingBehind: Expectation<Seen> = {
  name: 'leaves no process behind',
  look({ last: { leftovers } }) {
    if (process.platform !== 'linux') return createSkip('processes can be found on Linux only');
    return leftovers === undefined || leftovers.length === 0
      ? PASS
      : createFailure('no process to be left when the agent has ended', leftovers.join('; '));
  },
};

export const writesUtf8: Expectation<Seen> = {
  name: 'writes UTF-8',
  look({ last }) {
    if (isUtf8(last.stdout)) return PASS;
    return createFailure(
      'UTF-8 on stdout',
      `bytes that are none: ${last.lines.map(({ text }) => text).find((text) => text.includes('\uFFFD')) ?? ''}`,
    );
  },
};

/** If `first` succeeded, `last` does so too: its input differs only in ways that agents must tolerate. */
export const endsAsBefore: Expectation<Seen> = {
  name: 'ends as before',
  look({ first, last }) {
    const before = outcomeOf(first);
    const now = outcomeOf(last);
    return createVerdict(
      before !== 'success' || now === before,
      'the same outcome as without it: success',
      `${now}; ${describeRun(last)}`,
    );
  },
};

function outcomeOf({ events }: Sight): string {
  const end = events.at(-1);
  return end?.type === 'end' ? end.outcome : 'no end';
}
