import { isObject, type JsonObject, type JsonValue } from '@plugboard/protocol';
import { demand, type Expectation, fail, PASS, skip, type Verdict } from '../../case.ts';
import { said } from '../../expect/process.ts';
import type { Sight } from '../../observe/sight.ts';
import type { Seen } from '../scene.ts';
import { NON_ASCII, TEXTS } from '../texts.ts';
import { accountsOf, type Frame, framesOf, isResult, isSystem } from './frames.ts';

/** An expectation about one process and its frames. */
function about(name: string, look: (frames: readonly Frame[], sight: Sight) => Verdict): Expectation<Seen> {
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

export const introducesItself: Expectation<Seen> = about('introduces itself', (frames) => {
  const init = frames.find((frame) => isSystem(frame, 'init'));
  if (init === undefined) return skip('there was no init');
  const { session_id: session, version, tools } = init;
  const named = Array.isArray(tools) && tools.every((tool) => typeof tool === 'string');
  const complete = typeof session === 'string' && session !== '' && typeof version === 'string' && named;
  return demand(
    complete,
    'session_id and version as strings, tools as a list of strings',
    JSON.stringify(init),
  );
});

/** Every line is a JSON object of a type that the protocol has. */
export const saysOnlyFrames: Expectation<Seen> = about('says only frames', (frames, { lines }) => {
  const at = frames.findIndex((frame) => !isKnown(frame));
  return at === -1 ? PASS : fail('JSON objects of type system, assistant or result', lines[at]?.text ?? '');
});

function isKnown(frame: Frame): boolean {
  // Tool results come as user lines from some agents; hosts read both.
  return frame !== undefined && ['system', 'assistant', 'result', 'user'].includes(String(frame.type));
}

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

export const saysProperResults: Expectation<Seen> = about('says proper results', (frames) => {
  for (const frame of frames) {
    const problem = frame !== undefined && isResult(frame) ? resultProblem(frame) : undefined;
    if (problem !== undefined) return fail(problem, JSON.stringify(frame));
  }
  return PASS;
});

function resultProblem(result: JsonObject): string | undefined {
  const {
    subtype,
    duration_ms: duration,
    is_error: isError,
    num_turns: turns,
    session_id: session,
    usage,
  } = result;
  if (subtype !== 'success' && subtype !== 'error' && subtype !== 'cancelled')
    return '`subtype` to be success, error or cancelled';
  if (!isCount(duration) || !isCount(turns)) return '`duration_ms` and `num_turns` to be numbers from 0';
  if (typeof isError !== 'boolean' || (subtype !== 'cancelled' && isError !== (subtype === 'error')))
    return '`is_error` to be true for errors, and for them alone';
  if (typeof session !== 'string') return '`session_id` to be a string';
  if (subtype === 'success' && typeof result.result !== 'string')
    return '`result` to be the text of the answer';
  const counted =
    usage === undefined ||
    (isObject(usage) && Object.values(usage).every((tokens) => typeof tokens === 'number'));
  return counted ? undefined : '`usage` to hold numbers';
}

function isCount(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && value >= 0;
}

export const saysProperMessages: Expectation<Seen> = about('says proper messages', (frames) => {
  const messages = frames.filter((frame) => frame?.type === 'assistant');
  if (messages.length === 0) return skip('there was no assistant line');
  const bad = messages.find((frame) => frame !== undefined && !isMessage(frame));
  return bad === undefined
    ? PASS
    : fail(
        'message.role assistant, message.content a list of blocks, message.model and session_id',
        JSON.stringify(bad),
      );
});

function isMessage({ message, session_id: session }: JsonObject): boolean {
  if (!isObject(message) || message.role !== 'assistant' || typeof message.model !== 'string') return false;
  if (typeof session !== 'string' || !Array.isArray(message.content)) return false;
  return message.content.every((block) => isObject(block) && isBlock(block));
}

function isBlock({ type, text, id, name, input }: JsonObject): boolean {
  if (type === 'text') return typeof text === 'string';
  return type === 'tool_use' && typeof id === 'string' && typeof name === 'string' && isObject(input);
}

export const keepsSession: Expectation<Seen> = about('keeps its session id', (frames) => {
  const ids = new Set(
    frames.flatMap((frame) => (typeof frame?.session_id === 'string' ? [frame.session_id] : [])),
  );
  if (ids.size === 0) return skip('no line has a session_id');
  return demand(ids.size === 1, 'the same session_id in every line', [...ids].join(', '));
});

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

/** A tool that was called in a turn that succeeded has a result, which names the call. */
export const pairsToolResults: Expectation<Seen> = about('pairs tool results', (frames) => {
  const calls = new Set(frames.flatMap((frame) => blocksOf(frame, 'tool_use').map(({ id }) => id)));
  const results = frames.flatMap(toolResultsOf);
  if (calls.size === 0 && results.length === 0) return skip('it used no tool');
  const bad = results.find(
    (block) => block?.type !== 'tool_result' || !calls.has(block.tool_use_id) || block.content === undefined,
  );
  if (results.length > 0 && (bad !== undefined || results.includes(undefined)))
    return fail(
      'a `tool_result` block with the `tool_use_id` of a call and `content`',
      JSON.stringify(bad ?? null),
    );
  const answered = new Set(results.map((block) => block?.tool_use_id));
  const open = [...calls].find((id) => !answered.has(id));
  return demand(open === undefined, 'a tool_result for each tool_use', `none for ${String(open)}`);
});

function blocksOf(frame: Frame, type: string): JsonObject[] {
  const message = isObject(frame?.message) ? frame.message : {};
  const content = Array.isArray(message.content) ? message.content : [];
  return content.flatMap((block) => (isObject(block) && block.type === type ? [block] : []));
}

/** Tool results come as system lines, and as user lines from some agents. */
function toolResultsOf(frame: Frame): (JsonObject | undefined)[] {
  if (frame?.type === 'user') return blocksOf(frame, 'tool_result');
  if (!isSystem(frame, 'tool_result')) return [];
  return [isObject(frame?.tool_result) ? frame.tool_result : undefined];
}

/** Lines of type system have the fields that the protocol gives them. */
export const saysProperSystemLines: Expectation<Seen> = about('says proper system lines', (frames) => {
  for (const frame of frames) {
    const problem = frame?.type === 'system' ? SYSTEM_FIELDS[String(frame.subtype)]?.(frame) : undefined;
    if (problem !== undefined) return fail(problem, JSON.stringify(frame));
  }
  return PASS;
});

type Problem = (frame: JsonObject) => string | undefined;

const SYSTEM_FIELDS: Readonly<Record<string, Problem>> = {
  turn_accepted: ({ session_id: session, timestamp }) =>
    typeof session === 'string' && typeof timestamp === 'string' && !Number.isNaN(Date.parse(timestamp))
      ? undefined
      : '`session_id`, and `timestamp` as a date in a string',
  queued: ({ position }) => (isPositive(position) ? undefined : '`position` to be a number from 1'),
  injected: ({ message_count: count }) =>
    isPositive(count) ? undefined : '`message_count` to be a number from 1',
  error: ({ message }) => (typeof message === 'string' ? undefined : '`message` to be a sentence'),
  tasks: ({ tasks }) =>
    Array.isArray(tasks) && tasks.every(isTask) ? undefined : '`tasks` to be a list of tasks',
};

function isPositive(value: JsonValue | undefined): boolean {
  return Number.isInteger(value) && Number(value) >= 1;
}

function isTask(task: JsonValue): boolean {
  if (!isObject(task)) return false;
  return [task.id, task.type, task.description, task.status].every((field) => typeof field === 'string');
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
