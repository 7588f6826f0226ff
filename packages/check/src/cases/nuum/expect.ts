import type { JsonObject } from '@plugboard/protocol';
import {
  createFailure,
  createSkip,
  createVerdict,
  type Expectation,
  PASS,
  type Verdict,
} from '../../case.ts';
import { describeRun } from '../../expect/process.ts';
import type { Sight } from '../../observe/sight.ts';
import { type Frame, framesOf } from '../frames.ts';
import type { Seen } from '../scene.ts';
import { NON_ASCII, TEXTS } from '../texts.ts';
import { countTurns, isResult, isSystem } from './frames.ts';

/** Creates an expectation about the frames of `last`. */
export function expectFrames(
  name: string,
  look: (frames: readonly Frame[], sight: Sight) => Verdict,
): Expectation<Seen> {
  return { name, look: ({ last }) => look(framesOf(last.lines), last) };
}

/** No `wait` step of the scene timed out. */
export const meetsWaits: Expectation<Seen> = expectFrames('says what is waited for', (_frames, sight) =>
  sight.missed === undefined ? PASS : createFailure(sight.missed, describeRun(sight)),
);

export const beginsWithInit: Expectation<Seen> = expectFrames('begins with init', (frames, { lines }) => {
  if (!isSystem(frames[0], 'init'))
    return createFailure('system/init to be the first line', lines[0]?.text ?? 'nothing');
  const more = frames.filter((frame) => isSystem(frame, 'init')).length;
  return createVerdict(more === 1, 'one init', `${more} of them`);
});

/** `init` comes before the first `assistant` or `result` line. */
export const answersAfterInit: Expectation<Seen> = expectFrames('answers after init', (frames, sight) => {
  const init = frames.findIndex((frame) => isSystem(frame, 'init'));
  const answer = frames.findIndex((frame) => frame?.type === 'assistant' || isResult(frame));
  return createVerdict(init !== -1 && init < answer, 'init before the answer', describeRun(sight));
});

/** Exactly one `turn_accepted` comes before the `assistant` lines and the `result` of each turn. */
export const announcesTurns: Expectation<Seen> = expectFrames('announces turns', (frames, { lines }) => {
  let running = false;
  for (const [at, frame] of frames.entries()) {
    if (isSystem(frame, 'turn_accepted')) {
      if (running) return createFailure('one turn_accepted for each result', lines[at]?.text ?? '');
      running = true;
    } else if ((frame?.type === 'assistant' || isResult(frame)) && !running) {
      return createFailure(
        'turn_accepted before the first assistant line and the result of each turn',
        lines[at]?.text ?? '',
      );
    }
    if (isResult(frame)) running = false;
  }
  return PASS;
});

/** For scenes that send each user line after the previous `result`: a `result` belongs to each of `times` lines. */
export function hasResults(times: number): Expectation<Seen> {
  return expectFrames('has one result for each turn', (frames, sight) => {
    if (sight.missed !== undefined) return createFailure(sight.missed, describeRun(sight));
    const found = frames.filter(isResult).length;
    return createVerdict(found === times, `${times} of type result`, `${found}: ${describeRun(sight)}`);
  });
}

/** `running` of the `status_response` equals `expected`. `sent` is the index of the step that sent the request. */
export function reportsRunning(expected: boolean, sent = 0): Expectation<Seen> {
  return expectFrames('reports its status', (frames, sight) => {
    const at = frames.findIndex((frame) => isSystem(frame, 'status_response'));
    if (at === -1) return createFailure('a status_response', describeRun(sight));
    const answered = frames.findIndex(isResult);
    if (expected && answered !== -1 && answered < at) {
      if (endedSoonAfter(sight, sent)) return createSkip('the turn was over before the status came');
      return createFailure('a status_response while the turn is running', describeRun(sight));
    }
    const { running, session_id: session } = frames[at] ?? {};
    return createVerdict(
      running === expected && typeof session === 'string',
      `\`running\` to be ${expected} and \`session_id\` a string`,
      JSON.stringify(frames[at]),
    );
  });
}

/** An agent that works for 1000 ms after a line was sent had time to read it. */
const TIME_TO_READ_MS = 1_000;

/** True if the first `result` came within `TIME_TO_READ_MS` after `step`: the turn may have been over already. */
function endedSoonAfter(sight: Sight, step: number): boolean {
  const result = framesOf(sight.lines).findIndex(isResult);
  const at = sight.lines[result]?.at;
  return at !== undefined && at - (sight.doneAt[step] ?? 0) < TIME_TO_READ_MS;
}

/** The first `result` is `cancelled`. `sent` is the index of the step that sent the interrupt. */
export function cancelsTurn(sent: number): Expectation<Seen> {
  return expectFrames('cancels', (frames, sight) => {
    const result = frames.find(isResult);
    if (result === undefined) return createSkip('there was no result');
    if (result.subtype === 'cancelled') return PASS;
    if (endedSoonAfter(sight, sent)) return createSkip('the turn was over before the interrupt came');
    return createFailure('a result of subtype cancelled, soon after the interrupt', JSON.stringify(result));
  });
}

/** `queued` or `injected` comes before the first `result`. `sent` is the index of the step with the second message. */
export function acknowledgesWaiting(sent: number): Expectation<Seen> {
  return expectFrames('acknowledges a message that waits', (frames, sight) => {
    const result = frames.findIndex(isResult);
    const first = result === -1 ? frames : frames.slice(0, result);
    if (first.some((frame) => isSystem(frame, 'queued') || isSystem(frame, 'injected'))) return PASS;
    if (endedSoonAfter(sight, sent)) return createSkip('the turn was over before the message came');
    return createFailure('system/queued or system/injected during the turn', describeRun(sight));
  });
}

/** An agent that repeats `TEXTS.plain` also repeats `NON_ASCII` unchanged. */
export const keepsText: Expectation<Seen> = expectFrames('keeps text outside ASCII', (frames, sight) => {
  const [before, after] = frames.filter(isResult).map(({ result }: JsonObject = {}) => String(result));
  if (before?.includes(TEXTS.plain) !== true) return createSkip('it does not repeat what it is told');
  return createVerdict(
    after?.includes(NON_ASCII) === true,
    `${NON_ASCII} in an answer that repeats it`,
    after ?? describeRun(sight),
  );
});

/** The agent answers a bad line with a `system/error` that has a `message`. */
export const reportsBadLine: Expectation<Seen> = expectFrames('complains', (frames, sight) => {
  if (sight.missed !== undefined) return createSkip('it did not survive the line');
  const at = frames.findIndex((frame) => isSystem(frame, 'error'));
  return createVerdict(
    typeof frames[at]?.message === 'string',
    'a system/error with a `message`',
    describeRun(sight),
  );
});

export const runsOneTurnAtATime: Expectation<Seen> = expectFrames(
  'runs one turn at a time',
  (_frames, { lines }) => {
    const { atOnce } = countTurns(lines);
    return createVerdict(atOnce <= 1, 'a result before the next turn_accepted', `${atOnce} turns at once`);
  },
);

/** A second `heartbeat_ack` answers the last line, which has no line feed. */
export const answersLastLine: Expectation<Seen> = expectFrames('answers the last line', (frames, sight) => {
  if (sight.missed !== undefined) return createSkip('it does not answer heartbeats at all');
  const found = frames.filter((frame) => isSystem(frame, 'heartbeat_ack')).length;
  return createVerdict(found === 2, 'a second heartbeat_ack', describeRun(sight));
});

export const exitsWithZero: Expectation<Seen> = expectFrames(
  'exits with 0',
  (_frames, { ending, overdue }) =>
    overdue
      ? createSkip('it did not end')
      : createVerdict(ending.exitCode === 0, 'exit code 0', `exit code ${ending.exitCode}`),
);
