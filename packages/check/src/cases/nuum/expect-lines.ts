import { isObject, type JsonObject, type JsonValue } from '@plugboard/protocol';
import { createFailure, createSkip, createVerdict, type Expectation, PASS } from '../../case.ts';
import type { Frame } from '../frames.ts';
import type { Seen } from '../scene.ts';
import { expectFrames } from './expect.ts';
import { isResult, isSystem } from './frames.ts';

export const introducesItself: Expectation<Seen> = expectFrames('introduces itself', (frames) => {
  const init = frames.find((frame) => isSystem(frame, 'init'));
  if (init === undefined) return createSkip('there was no init');
  const { session_id: session, version, tools } = init;
  const named = Array.isArray(tools) && tools.every((tool) => typeof tool === 'string');
  const complete = typeof session === 'string' && session !== '' && typeof version === 'string' && named;
  return createVerdict(
    complete,
    'session_id and version as strings, tools as a list of strings',
    JSON.stringify(init),
  );
});

/** Every line is a JSON object with a `type` that `isKnown` lists. */
export const saysOnlyFrames: Expectation<Seen> = expectFrames('says only frames', (frames, { lines }) => {
  const at = frames.findIndex((frame) => !isKnown(frame));
  return at === -1
    ? PASS
    : createFailure('JSON objects of type system, assistant or result', lines[at]?.text ?? '');
});

function isKnown(frame: Frame): boolean {
  // Some agents send tool results as `user` lines; hosts read both forms.
  return frame !== undefined && ['system', 'assistant', 'result', 'user'].includes(String(frame.type));
}

export const saysProperResults: Expectation<Seen> = expectFrames('says proper results', (frames) => {
  for (const frame of frames) {
    const problem = frame !== undefined && isResult(frame) ? resultProblem(frame) : undefined;
    if (problem !== undefined) return createFailure(problem, JSON.stringify(frame));
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

export const saysProperMessages: Expectation<Seen> = expectFrames('says proper messages', (frames) => {
  const messages = frames.filter((frame) => frame?.type === 'assistant');
  if (messages.length === 0) return createSkip('there was no assistant line');
  const bad = messages.find((frame) => frame !== undefined && !isMessage(frame));
  return bad === undefined
    ? PASS
    : createFailure(
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

export const keepsSession: Expectation<Seen> = expectFrames('keeps its session id', (frames) => {
  const ids = new Set(
    frames.flatMap((frame) => (typeof frame?.session_id === 'string' ? [frame.session_id] : [])),
  );
  if (ids.size === 0) return createSkip('no line has a session_id');
  return createVerdict(ids.size === 1, 'the same session_id in every line', [...ids].join(', '));
});

/** Each `tool_use` block has a `tool_result` with its id as `tool_use_id`. */
export const pairsToolResults: Expectation<Seen> = expectFrames('pairs tool results', (frames) => {
  const calls = new Set(frames.flatMap((frame) => blocksOf(frame, 'tool_use').map(({ id }) => id)));
  const results = frames.flatMap(toolResultsOf);
  if (calls.size === 0 && results.length === 0) return createSkip('it used no tool');
  const bad = results.find(
    (block) => block?.type !== 'tool_result' || !calls.has(block.tool_use_id) || block.content === undefined,
  );
  if (results.length > 0 && (bad !== undefined || results.includes(undefined)))
    return createFailure(
      'a `tool_result` block with the `tool_use_id` of a call and `content`',
      JSON.stringify(bad ?? null),
    );
  const answered = new Set(results.map((block) => block?.tool_use_id));
  const open = [...calls].find((id) => !answered.has(id));
  return createVerdict(open === undefined, 'a tool_result for each tool_use', `none for ${String(open)}`);
});

function blocksOf(frame: Frame, type: string): JsonObject[] {
  const message = isObject(frame?.message) ? frame.message : {};
  const content = Array.isArray(message.content) ? message.content : [];
  return content.flatMap((block) => (isObject(block) && block.type === type ? [block] : []));
}

/** Blocks of `system/tool_result` lines, or of `user` lines of some agents; `undefined` for a malformed block. */
function toolResultsOf(frame: Frame): (JsonObject | undefined)[] {
  if (frame?.type === 'user') return blocksOf(frame, 'tool_result');
  if (!isSystem(frame, 'tool_result')) return [];
  return [isObject(frame?.tool_result) ? frame.tool_result : undefined];
}

/** Each `system` line passes the check of its subtype in `SYSTEM_FIELDS`. */
export const saysProperSystemLines: Expectation<Seen> = expectFrames('says proper system lines', (frames) => {
  for (const frame of frames) {
    const problem = frame?.type === 'system' ? SYSTEM_FIELDS[String(frame.subtype)]?.(frame) : undefined;
    if (problem !== undefined) return createFailure(problem, JSON.stringify(frame));
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
