import { isUtf8 } from 'node:buffer';
import { demand, type Expectation, fail, PASS, skip } from '../case.ts';
import type { Seen } from '../cases/scene.ts';
import type { Sight } from '../observe/sight.ts';

/** An excerpt shows no more than some hundred characters of them. */
const MOST_LINES_SHOWN = 100;

/** What a process had to say, for a failed case. */
export function said({ lines, stderr, ending }: Sight): string {
  const shown = lines.slice(0, MOST_LINES_SHOWN).map(({ text }) => text);
  const out = lines.length === 0 ? 'nothing on stdout' : `on stdout: ${shown.join('\n')}`;
  const trouble = stderr.trim() === '' ? '' : `; on stderr: ${stderr.trim().slice(-400)}`;
  return `exit code ${ending.exitCode}, ${out}${trouble}`;
}

/** The process ends without being killed. */
export const endsByItself: Expectation<Seen> = {
  name: 'ends by itself',
  look({ last }) {
    const how = last.flooded ? 'it was still writing' : 'it was still running';
    const seen = `${how} after ${Math.round(last.endedAt)} ms; ${said(last)}`;
    return demand(!last.overdue, 'the process to end by itself once it has answered', seen);
  },
};

/** The process ends soon after SIGTERM. */
export const endsAfterSignal: Expectation<Seen> = {
  name: 'ends after SIGTERM',
  look({ last }) {
    if (last.signalMs === undefined) return skip('it had ended before the signal');
    return demand(
      !last.overdue,
      'the process to end soon after SIGTERM',
      `it was still running after ${Math.round(last.signalMs)} ms`,
    );
  },
};

/** 0 would say that the turn was answered to its end. */
export const failsAfterSignal: Expectation<Seen> = {
  name: 'does not call SIGTERM a success',
  look({ last }) {
    if (last.signalMs === undefined || last.overdue) return skip('SIGTERM did not end it');
    return demand(last.ending.exitCode !== 0, 'an exit code of 143, or another one than 0', 'exit code 0');
  },
};

/** A run shorter than this says nothing about flushing: there was no time to be early. */
const TELLING_MS = 2_000;

/** Output this close to the end came with it. */
const TOGETHER_MS = 100;

/** In a run above `TELLING_MS`, the first line for which `isPiece` holds comes at least `TOGETHER_MS` before the exit. */
export function flushesEarly(what: string, isPiece: (line: string) => boolean): Expectation<Seen> {
  return {
    name: `flushes each ${what}`,
    look({ last }) {
      const first = last.lines.find(({ text }) => isPiece(text));
      if (first === undefined) return skip(`it said no ${what}`);
      if (last.endedAt < TELLING_MS) return skip('it was too quick to tell');
      return demand(
        first.at < last.endedAt - TOGETHER_MS,
        `the first ${what} to come before the process ends`,
        `it came ${Math.round(last.endedAt - first.at)} ms before the end of a run of ${Math.round(last.endedAt)} ms`,
      );
    },
  };
}

/** Nothing of the agent runs on when it has ended. */
export const leavesNothingBehind: Expectation<Seen> = {
  name: 'leaves no process behind',
  look({ last: { leftovers } }) {
    if (process.platform !== 'linux') return skip('processes can be found on Linux only');
    return leftovers === undefined || leftovers.length === 0
      ? PASS
      : fail('no process to be left when the agent has ended', leftovers.join('; '));
  },
};

/** Every byte of stdout belongs to a well-formed character. */
export const writesUtf8: Expectation<Seen> = {
  name: 'writes UTF-8',
  look({ last }) {
    if (isUtf8(last.stdout)) return PASS;
    return fail(
      'UTF-8 on stdout',
      `bytes that are none: ${last.lines.map(({ text }) => text).find((text) => text.includes('\uFFFD')) ?? ''}`,
    );
  },
};

/** The process was not told anything that should make it fail, so it ends as it did the first time. */
export const endsAsBefore: Expectation<Seen> = {
  name: 'ends as before',
  look({ first, last }) {
    const before = outcomeOf(first);
    const now = outcomeOf(last);
    return demand(
      before !== 'success' || now === before,
      'the same outcome as without it: success',
      `${now}; ${said(last)}`,
    );
  },
};

function outcomeOf({ events }: Sight): string {
  const end = events.at(-1);
  return end?.type === 'end' ? end.outcome : 'no end';
}
