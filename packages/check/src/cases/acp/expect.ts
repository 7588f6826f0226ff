import { isObject, type JsonObject, type JsonValue } from '@plugboard/protocol';
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
import {
  capabilitiesIn,
  errorOf,
  hasSessionCapability,
  INITIALIZE_ID,
  isCall,
  isResponse,
  responsesTo,
  resultOf,
  sessionIn,
  textIn,
  updatesIn,
} from './frames.ts';
import { loginProblem } from './starts.ts';

/** Creates an expectation about `last`. It is skipped for an agent that opens no session without a login. */
export function expectSight(
  name: string,
  look: (sight: Sight, frames: readonly Frame[]) => Verdict,
): Expectation<Seen> {
  return {
    name,
    look({ last }) {
      const problem = loginProblem(last);
      return problem === undefined ? look(last, framesOf(last.lines)) : createSkip(problem);
    },
  };
}

const STOP_REASONS = ['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled'];

/** No `wait` step of the scene timed out. */
export const meetsWaits: Expectation<Seen> = expectSight('says what is waited for', (sight) =>
  sight.missed === undefined ? PASS : createFailure(sight.missed, describeRun(sight)),
);

export const speaksVersionOne: Expectation<Seen> = expectSight('speaks version 1', (sight) => {
  const result = resultOf(sight.lines, INITIALIZE_ID);
  return createVerdict(
    result?.protocolVersion === 1,
    '`protocolVersion` 1 in the answer to initialize',
    result === undefined ? describeRun(sight) : JSON.stringify(result),
  );
});

export const namesVersion: Expectation<Seen> = expectSight('names a version', (sight) => {
  const version = resultOf(sight.lines, INITIALIZE_ID)?.protocolVersion;
  return createVerdict(
    Number.isInteger(version) && Number(version) >= 1 && Number(version) < 65_535,
    'the newest version that the agent knows as `protocolVersion`',
    describeRun(sight),
  );
});

/** The request `id` has exactly one answer, which is a result. */
export function succeeds(id: JsonValue): Expectation<Seen> {
  return expectSight(`answers request ${id}`, (sight) => {
    const responses = responsesTo(sight.lines, id);
    const [response] = responses;
    if (responses.length !== 1)
      return createFailure(`one answer to the request ${id}`, `${responses.length}: ${describeRun(sight)}`);
    return createVerdict('result' in (response ?? {}), 'a result', JSON.stringify(response));
  });
}

/** The request `id` has exactly one answer, which is an error with a code and a message. */
export function fails(id: JsonValue, code?: number): Expectation<Seen> {
  return expectSight(`refuses request ${id}`, (sight) => {
    const responses = responsesTo(sight.lines, id);
    const error = errorOf(sight.lines, id);
    const isError = Number.isInteger(error?.code) && typeof error?.message === 'string';
    const isRight = responses.length === 1 && isError && (code === undefined || error?.code === code);
    const wanted = code === undefined ? 'an error with a code and a message' : `an error of code ${code}`;
    return createVerdict(isRight, wanted, JSON.stringify(responses[0] ?? null));
  });
}

/** Each prompt with one of these ids has one answer with a known stop reason. */
export function answersPrompts(...ids: readonly number[]): Expectation<Seen> {
  return expectSight('answers each prompt once', (sight) => {
    for (const id of ids) {
      const responses = responsesTo(sight.lines, id);
      const [response] = responses;
      if (responses.length !== 1)
        return createFailure(`one answer to the prompt ${id}`, `${responses.length}: ${describeRun(sight)}`);
      const { result } = response ?? {};
      if (!isObject(result) || !STOP_REASONS.includes(String(result.stopReason)))
        return createFailure(`a stopReason of ${STOP_REASONS.join(', ')}`, JSON.stringify(response));
    }
    return PASS;
  });
}

export const opensSession: Expectation<Seen> = expectSight('opens a session', (sight) =>
  createVerdict(
    sessionIn(sight.lines) !== undefined,
    '`sessionId` as a text in the answer to session/new',
    describeRun(sight),
  ),
);

export const opensTwoSessions: Expectation<Seen> = expectSight('opens two sessions', ({ lines }) => {
  const other = resultOf(lines, 5)?.sessionId;
  return createVerdict(
    typeof other === 'string' && other !== sessionIn(lines),
    'another sessionId for the second session',
    JSON.stringify([sessionIn(lines) ?? null, other ?? null]),
  );
});

/** The answer to `session/new` comes before updates of that session: clients drop earlier ones. */
export const opensBeforeUpdates: Expectation<Seen> = expectSight('answers first', ({ lines }) => {
  const opened = framesOf(lines).findIndex((frame) => isResponse(frame) && sessionOf(frame) !== undefined);
  const early = updatesIn(lines).find(({ at }) => opened === -1 || at < opened);
  return early === undefined
    ? PASS
    : createFailure('the answer to session/new before updates of the session', lines[early.at]?.text ?? '');
});

function sessionOf({ result }: JsonObject): JsonValue | undefined {
  return isObject(result) ? result.sessionId : undefined;
}

/** Updates of a session come while a prompt of it is open, but for those about the session itself. */
export const endsWithAnswer: Expectation<Seen> = expectSight(
  'ends a turn with its answer',
  ({ lines }, frames) => {
    const answered = frames.findLastIndex((frame) => isResponse(frame) && isPromptResult(frame));
    const late = updatesIn(lines).find(({ at, kind }) => at > answered && TURN_UPDATES.has(kind));
    if (answered === -1) return createSkip('no prompt was answered');
    return late === undefined
      ? PASS
      : createFailure('no chunk and no tool call after the answer to the prompt', lines[late.at]?.text ?? '');
  },
);

function isPromptResult({ result }: JsonObject): boolean {
  return isObject(result) && 'stopReason' in result;
}

const TURN_UPDATES = new Set([
  'agent_message_chunk',
  'agent_thought_chunk',
  'tool_call',
  'tool_call_update',
  'plan',
]);

export const saysText: Expectation<Seen> = expectSight('says something', (sight) => {
  if (responsesTo(sight.lines, 2).length === 0) return createSkip('the prompt was not answered');
  return createVerdict(
    textIn(sight.lines).trim() !== '',
    'text in agent_message_chunk updates',
    describeRun(sight),
  );
});

/** An agent that repeats `TEXTS.plain` also repeats `NON_ASCII` unchanged. */
export const keepsText: Expectation<Seen> = expectSight('keeps text outside ASCII', (sight, frames) => {
  const second = frames.findIndex((frame) => isResponse(frame) && frame.id === 2);
  if (second === -1 || !textIn(sight.lines).includes(TEXTS.plain))
    return createSkip('it does not repeat what it is told');
  const after = textIn(sight.lines, second);
  return createVerdict(after.includes(NON_ASCII), `${NON_ASCII} in an answer that repeats it`, after);
});

/** A turn of less than 1000 ms may have been over when the notification came. */
const TIME_TO_READ_MS = 1_000;

/** A turn that takes this long without a cancel, and less than half of it with one, was stopped by it. */
const TELLING_MS = 3_000;

/** The prompt 2 is answered with `cancelled`. The same prompt of `first` was not cancelled. */
export const cancelsPrompt: Expectation<Seen> = {
  name: 'cancels',
  look({ first, last }) {
    const problem = loginProblem(last);
    if (problem !== undefined) return createSkip(problem);
    const [response] = responsesTo(last.lines, 2);
    if (response === undefined) return createSkip('the prompt was not answered');
    if ('error' in response)
      return createFailure('stopReason cancelled, never an error', JSON.stringify(response));
    const stopReason = resultOf(last.lines, 2)?.stopReason;
    if (stopReason === 'cancelled') return PASS;
    if (wasStopped(first, last)) return createFailure('stopReason cancelled', String(stopReason));
    const cancelledAt = last.doneAt.at(CANCEL_STEP) ?? 0;
    if (promptEnd(last) < cancelledAt + TIME_TO_READ_MS)
      return createSkip('the turn was over before the notification came');
    return createFailure('stopReason cancelled, soon after session/cancel', String(stopReason));
  },
};

/** Index of the step that sends `session/cancel` in `ACP_STARTS.cancel`. */
const CANCEL_STEP = 6;

/** Index of the step that sends the prompt 2 in both processes of `ACP_STARTS.cancel`. */
const PROMPT_STEP = 4;

function wasStopped(whole: Sight, cancelled: Sight): boolean {
  const lasts = (sight: Sight): number => promptEnd(sight) - (sight.doneAt.at(PROMPT_STEP) ?? 0);
  return lasts(whole) >= TELLING_MS && lasts(cancelled) < lasts(whole) / 2;
}

/** When the prompt 2 was answered; 0 if it was not. */
function promptEnd({ lines }: Sight): number {
  const at = framesOf(lines).findIndex((frame) => isResponse(frame) && frame.id === 2);
  return lines[at]?.at ?? 0;
}

/** Answers are to requests: notifications have none. */
export const answersRequestsAlone: Expectation<Seen> = expectSight(
  'answers requests alone',
  ({ lines }, frames) => {
    const at = frames.findIndex((frame) => isResponse(frame) && typeof frame.id !== 'number');
    return at === -1 ? PASS : createFailure('no answer to a notification', lines[at]?.text ?? '');
  },
);

/** Requests and notifications of the agent are those that the client offers. */
export const callsWhatIsOffered: Expectation<Seen> = expectSight(
  'calls what is offered',
  ({ lines }, frames) => {
    const at = frames.findIndex(
      (frame) => isCall(frame) && /^(fs|terminal|elicitation)\//.test(String(frame.method)),
    );
    return at === -1
      ? PASS
      : createFailure('no fs, terminal or elicitation method: the client has none', lines[at]?.text ?? '');
  },
);

/** Skips `then` unless the agent has said that it has `sessionCapabilities.NAME`. */
export function ifOffered(name: string, then: Expectation<Seen>): Expectation<Seen> {
  return expectSight(then.name, (sight) => {
    if (!hasSessionCapability(sight.lines, name)) return createSkip(`it does not offer session/${name}`);
    return then.look({ first: sight, last: sight });
  });
}

/** Skips `then` unless `promptCapabilities.NAME` is true. */
export function ifPrompted(name: string, then: Expectation<Seen>): Expectation<Seen> {
  return expectSight(then.name, (sight) => {
    const { promptCapabilities } = capabilitiesIn(sight.lines);
    const has = isObject(promptCapabilities) && promptCapabilities[name] === true;
    return has ? then.look({ first: sight, last: sight }) : createSkip(`it does not take ${name}`);
  });
}

export const listsSession: Expectation<Seen> = expectSight('lists the session', ({ lines }) => {
  const { sessions } = resultOf(lines, 6) ?? {};
  const ids = Array.isArray(sessions) ? sessions.filter(isObject).map(({ sessionId }) => sessionId) : [];
  return createVerdict(
    ids.includes(sessionIn(lines) ?? ''),
    'the open session in `sessions`',
    JSON.stringify(sessions ?? errorOf(lines, 6) ?? null),
  );
});

/** The replay of `session/load` comes before its answer, and holds what was said. */
export const replaysBeforeAnswer: Expectation<Seen> = {
  name: 'replays before the answer',
  look({ first, last }) {
    const answered = framesOf(last.lines).findIndex((frame) => isResponse(frame) && frame.id === 7);
    if (answered === -1 || errorOf(last.lines, 7) !== undefined)
      return createFailure('a result of session/load', describeRun(last));
    const replay = updatesIn(last.lines).filter(({ at }) => at < answered);
    const said = textIn(first.lines);
    if (said === '') return createSkip('nothing was said in the first process');
    return createVerdict(
      replay.some(({ kind }) => kind === 'user_message_chunk' || kind === 'agent_message_chunk'),
      'the history as updates before the answer to session/load',
      describeRun(last),
    );
  },
};

/** An answer with `id` null and one of the codes for lines that are no request. */
export const reportsBadLine: Expectation<Seen> = expectSight('reports the line', (sight, frames) => {
  const found = frames.find((frame) => isResponse(frame) && frame.id === null);
  const code = isObject(found?.error) ? found.error.code : undefined;
  return createVerdict(
    code === -32_700 || code === -32_600,
    'an error of code -32700 or -32600 with "id": null',
    describeRun(sight),
  );
});

export const exitsWithZero: Expectation<Seen> = expectSight('exits with 0', ({ ending, overdue }) =>
  overdue
    ? createSkip('it did not end')
    : createVerdict(ending.exitCode === 0, 'exit code 0', `exit code ${ending.exitCode}`),
);
