import type { JsonObject } from '@plugboard/protocol';
import { demand, type Expectation, fail, PASS, skip, type Verdict } from '../../case.ts';
import { said } from '../../expect/process.ts';
import type { Sight } from '../../observe/sight.ts';
import type { Seen } from '../scene.ts';
import { NON_ASCII, TEXTS } from '../texts.ts';
import { accountsOf, type Frame, framesOf, isResult, isSystem } from './frames.ts';

/** An expectation about one process and its frames. */
export function about(
  name: string,
  look: (frames: readonly Frame[], sight: Sight) => Verdict,
): Expectation<Seen> {
  return { name, look: ({ last }) => look(framesOf(last.lines), last) };
}

/** Everything that the scene waited for has come, and the process was there to say it. */
export const saidWhatWasWaitedFor: Expectation<Seen> = about('says what is waited for', (_frames, sight) =>
  sight.missed === undefined ? PASS : fail(sight.missed, said(sight)),
);

export const beginsWithInit: Expectation<Seen> = about('begins with init', (frames, { lines }) => {
  if (!isSystem(frames[0], 'init'))
    return fail('system/init to be the first line', lines[0]?.text ?? 'nothing');
  const more = frames.filter((frame) => isSystem(frame, 'init')).length;
  return demand(more === 1, 'one init', `${more} of them`);
});

/** Nothing is answered before the agent has said who it is. */
export const answersAfterInit: Expectation<Seen> = about('answers after init', (frames, sight) => {
  const init = frames.findIndex((frame) => isSystem(frame, 'init'));
  const answer = frames.findIndex((frame) => frame?.type === 'assistant' || isResult(frame));
  return demand(init !== -1 && init < answer, 'init before the answer', said(sight));
});

/** Between one result and the next a turn is announced before anything of it is said. */
export const announcesTurns: Expectation<Seen> = about('announces turns', (frames, { lines }) => {
  let running = false;
  for (const [at, frame] of frames.entries()) {
    if (isSystem(frame, 'turn_accepted')) {
      if (running) return fail('one turn_accepted for each result', lines[at]?.text ?? '');
      running = true;
    } else if ((frame?.type === 'assistant' || isResult(frame)) && !running) {
      return fail(
        'turn_accepted before the first assistant line and the result of each turn',
        lines[at]?.text ?? '',
      );
    }
    if (isResult(frame)) running = false;
  }
  return PASS;
});

/** As many results as user lines, where each line was sent after the result of the one before. */
export function hasResults(times: number): Expectation<Seen> {
  return about('has one result for each turn', (frames, sight) => {
    if (sight.missed !== undefined) return fail(sight.missed, said(sight));
    const found = frames.filter(isResult).length;
    return demand(found === times, `${times} of type result`, `${found}: ${said(sight)}`);
  });
}

/** A status tells whether a turn is running. `sent` is the step of the request. */
export function reportsRunning(expected: boolean, sent = 0): Expectation<Seen> {
  return about('reports its status', (frames, sight) => {
    const at = frames.findIndex((frame) => isSystem(frame, 'status_response'));
    if (at === -1) return fail('a status_response', said(sight));
    const answered = frames.findIndex(isResult);
    if (expected && answered !== -1 && answered < at) {
      if (endedSoonAfter(sight, sent)) return skip('the turn was over before the status came');
      return fail('a status_response while the turn is running', said(sight));
    }
    const { running, session_id: session } = frames[at] ?? {};
    return demand(
      running === expected && typeof session === 'string',
      `\`running\` to be ${expected} and \`session_id\` a string`,
      JSON.stringify(frames[at]),
    );
  });
}

/** The turn went on for so long after a line was sent that the agent had time to read it. */
const TIME_TO_READ_MS = 1_000;

/** Whether the first result came so soon after a step that the step may have come too late for the turn. */
function endedSoonAfter(sight: Sight, step: number): boolean {
  const result = framesOf(sight.lines).findIndex(isResult);
  const at = sight.lines[result]?.at;
  return at !== undefined && at - (sight.doneAt[step] ?? 0) < TIME_TO_READ_MS;
}

/** A turn that is still running long after the interrupt was not cancelled by it. `sent` is the step of the interrupt. */
export function cancels(sent: number): Expectation<Seen> {
  return about('cancels', (frames, sight) => {
    const result = frames.find(isResult);
    if (result === undefined) return skip('there was no result');
    if (result.subtype === 'cancelled') return PASS;
    if (endedSoonAfter(sight, sent)) return skip('the turn was over before the interrupt came');
    return fail('a result of subtype cancelled, soon after the interrupt', JSON.stringify(result));
  });
}

/** A message that comes during a turn is acknowledged in it. `sent` is the step in which it was sent. */
export function acknowledgesWaiting(sent: number): Expectation<Seen> {
  return about('acknowledges a message that waits', (frames, sight) => {
    const result = frames.findIndex(isResult);
    const first = result === -1 ? frames : frames.slice(0, result);
    if (first.some((frame) => isSystem(frame, 'queued') || isSystem(frame, 'injected'))) return PASS;
    if (endedSoonAfter(sight, sent)) return skip('the turn was over before the message came');
    return fail('system/queued or system/injected during the turn', said(sight));
  });
}

/** An agent that repeats what it is told repeats text outside ASCII unchanged. */
export const keepsText: Expectation<Seen> = about('keeps text outside ASCII', (frames, sight) => {
  const [before, after] = frames.filter(isResult).map(({ result }: JsonObject = {}) => String(result));
  if (before?.includes(TEXTS.plain) !== true) return skip('it does not repeat what it is told');
  return demand(
    after?.includes(NON_ASCII) === true,
    `${NON_ASCII} in an answer that repeats it`,
    after ?? said(sight),
  );
});

/** What is wrong with a line is said before the next one is answered. */
export const complains: Expectation<Seen> = about('complains', (frames, sight) => {
  if (sight.missed !== undefined) return skip('it did not survive the line');
  const at = frames.findIndex((frame) => isSystem(frame, 'error'));
  return demand(typeof frames[at]?.message === 'string', 'a system/error with a `message`', said(sight));
});

export const runsOneTurnAtATime: Expectation<Seen> = about(
  'runs one turn at a time',
  (_frames, { lines }) => {
    const { atOnce } = accountsOf(lines);
    return demand(atOnce <= 1, 'a result before the next turn_accepted', `${atOnce} turns at once`);
  },
);

/** The line that input ended with was answered like the one before it. */
export const answersLastLine: Expectation<Seen> = about('answers the last line', (frames, sight) => {
  if (sight.missed !== undefined) return skip('it does not answer heartbeats at all');
  const found = frames.filter((frame) => isSystem(frame, 'heartbeat_ack')).length;
  return demand(found === 2, 'a second heartbeat_ack', said(sight));
});

export const exitsWithZero: Expectation<Seen> = about('exits with 0', (_frames, { ending, overdue }) =>
  overdue
    ? skip('it did not end')
    : demand(ending.exitCode === 0, 'exit code 0', `exit code ${ending.exitCode}`),
);
