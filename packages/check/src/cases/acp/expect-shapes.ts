import { isObject, type JsonObject, type JsonValue } from '@plugboard/protocol';
import { createFailure, createSkip, createVerdict, type Expectation, PASS } from '../../case.ts';
import { describeRun } from '../../expect/process.ts';
import type { Seen } from '../scene.ts';
import { expectSight } from './expect.ts';
import { INITIALIZE_ID, isCall, isResponse, resultOf, SESSION_ID, sessionIn, updatesIn } from './frames.ts';

/** Every line is a JSON-RPC 2.0 message: a call with a method, or an answer with either a result or an error. */
export const saysOnlyMessages: Expectation<Seen> = expectSight('says only messages', ({ lines }, frames) => {
  const at = frames.findIndex((frame) => frame === undefined || !isMessage(frame));
  return at === -1 ? PASS : createFailure('JSON-RPC 2.0 messages, one in each line', lines[at]?.text ?? '');
});

function isMessage(frame: JsonObject): boolean {
  if (frame.jsonrpc !== '2.0') return false;
  if (typeof frame.method === 'string') return !('result' in frame) && !('error' in frame);
  return 'id' in frame && 'result' in frame !== 'error' in frame && hasProperError(frame);
}

function hasProperError({ error }: JsonObject): boolean {
  if (error === undefined) return true;
  return isObject(error) && Number.isInteger(error.code) && typeof error.message === 'string';
}

export const introducesItself: Expectation<Seen> = expectSight('introduces itself', (sight) => {
  const result = resultOf(sight.lines, INITIALIZE_ID);
  if (result === undefined) return createFailure('a result of initialize', describeRun(sight));
  const problem = introductionProblem(result);
  return problem === undefined ? PASS : createFailure(problem, JSON.stringify(result));
});

function introductionProblem({ agentCapabilities, authMethods, agentInfo }: JsonObject): string | undefined {
  if (!isAbsent(authMethods) && !isListOf(authMethods, isAuthMethod))
    return '`authMethods` to be a list of objects with id and name';
  if (!isAbsent(agentInfo) && !hasTexts(agentInfo, 'name', 'version'))
    return '`agentInfo` to have name and version as texts';
  if (isAbsent(agentCapabilities)) return undefined;
  if (!isObject(agentCapabilities)) return '`agentCapabilities` to be an object';
  const { loadSession, promptCapabilities, mcpCapabilities, sessionCapabilities } = agentCapabilities;
  if (!isAbsent(loadSession) && typeof loadSession !== 'boolean') return '`loadSession` to be true or false';
  if (!hasFlags(promptCapabilities, 'image', 'audio', 'embeddedContext'))
    return '`promptCapabilities` to hold true and false';
  if (!hasFlags(mcpCapabilities, 'http', 'sse')) return '`mcpCapabilities` to hold true and false';
  return hasMarkers(sessionCapabilities)
    ? undefined
    : '`sessionCapabilities` to hold objects such as {}, never true or false';
}

function isAbsent(value: JsonValue | undefined): value is undefined | null {
  return value === undefined || value === null;
}

function isAuthMethod(value: JsonValue): boolean {
  return hasTexts(value, 'id', 'name');
}

function hasTexts(value: JsonValue | undefined, ...names: readonly string[]): boolean {
  return isObject(value) && names.every((name) => typeof value[name] === 'string' && value[name] !== '');
}

function isListOf(value: JsonValue | undefined, is: (item: JsonValue) => boolean): boolean {
  return Array.isArray(value) && value.every(is);
}

function hasFlags(value: JsonValue | undefined, ...names: readonly string[]): boolean {
  if (isAbsent(value)) return true;
  return isObject(value) && names.every((name) => isAbsent(value[name]) || typeof value[name] === 'boolean');
}

function hasMarkers(value: JsonValue | undefined): boolean {
  if (isAbsent(value)) return true;
  const named = ['list', 'resume', 'close', 'delete', 'additionalDirectories'];
  return isObject(value) && named.every((name) => isAbsent(value[name]) || isObject(value[name]));
}

/** `modes` and `configOptions` of a session name current values that are among those offered. */
export const offersProperOptions: Expectation<Seen> = expectSight('offers proper options', ({ lines }) => {
  const result = resultOf(lines, SESSION_ID);
  if (result === undefined) return createSkip('there is no session');
  const { modes, configOptions } = result;
  if (isAbsent(modes) && isAbsent(configOptions)) return createSkip('it has neither modes nor options');
  if (!isAbsent(modes) && !hasCurrentMode(modes))
    return createFailure('`currentModeId` to be the id of one of `availableModes`', JSON.stringify(modes));
  return createVerdict(
    isAbsent(configOptions) || isListOf(configOptions, isConfigOption),
    '`configOptions` to be a list of {id, name, type, currentValue, options}, with a current value that is offered',
    JSON.stringify(configOptions ?? null),
  );
});

function hasCurrentMode(modes: JsonValue): boolean {
  if (!isObject(modes) || !isListOf(modes.availableModes, (mode) => hasTexts(mode, 'id', 'name')))
    return false;
  const ids = Array.isArray(modes.availableModes)
    ? modes.availableModes.filter(isObject).map(({ id }) => id)
    : [];
  return ids.includes(modes.currentModeId ?? null);
}

function isConfigOption(option: JsonValue): boolean {
  if (!hasTexts(option, 'id', 'name') || !isObject(option)) return false;
  if (option.type === 'boolean') return typeof option.currentValue === 'boolean';
  if (option.type !== 'select' || !Array.isArray(option.options)) return false;
  const choices = option.options
    .filter(isObject)
    .flatMap((choice) => (Array.isArray(choice.options) ? choice.options.filter(isObject) : [choice]));
  return choices.some(({ value }) => value === option.currentValue);
}

/** Fields that each kind of update must have. */
const UPDATES: Readonly<Record<string, (fields: JsonObject) => boolean>> = {
  user_message_chunk: ({ content }) => isContent(content),
  agent_message_chunk: ({ content }) => isContent(content),
  agent_thought_chunk: ({ content }) => isContent(content),
  tool_call: (fields) =>
    hasTexts(fields, 'toolCallId') && typeof fields.title === 'string' && isToolState(fields),
  tool_call_update: (fields) => hasTexts(fields, 'toolCallId') && isToolState(fields),
  plan: ({ entries }) => isListOf(entries, isPlanEntry),
  available_commands_update: ({ availableCommands }) =>
    isListOf(
      availableCommands,
      (command) => hasTexts(command, 'name') && isObject(command) && typeof command.description === 'string',
    ),
  current_mode_update: (fields) => hasTexts(fields, 'currentModeId'),
  config_option_update: ({ configOptions }) => isListOf(configOptions, isConfigOption),
  session_info_update: () => true,
  usage_update: ({ used, size }) => typeof used === 'number' && typeof size === 'number',
};

/** Only sent to clients that ask for them by a capability. */
const UNOFFERED = new Set(['notice', 'compaction_update', 'compaction_summary_chunk']);

function isContent(content: JsonValue | undefined): boolean {
  if (!isObject(content)) return false;
  const { type } = content;
  if (type === 'text') return typeof content.text === 'string';
  if (type === 'image' || type === 'audio') return hasTexts(content, 'data', 'mimeType');
  if (type === 'resource_link') return hasTexts(content, 'uri', 'name');
  return type === 'resource' && hasTexts(content.resource, 'uri');
}

const STATUSES = ['pending', 'in_progress', 'completed', 'failed'];
const KINDS = [
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'switch_mode',
  'other',
];

function isToolState({ status, kind, content, locations }: JsonObject): boolean {
  return (
    (isAbsent(status) || STATUSES.includes(String(status))) &&
    (isAbsent(kind) || KINDS.includes(String(kind))) &&
    (isAbsent(content) || isListOf(content, isToolContent)) &&
    (isAbsent(locations) || isListOf(locations, (one) => hasTexts(one, 'path')))
  );
}

function isToolContent(item: JsonValue): boolean {
  if (!isObject(item)) return false;
  if (item.type === 'content') return isContent(item.content);
  if (item.type === 'diff') return hasTexts(item, 'path') && typeof item.newText === 'string';
  return item.type === 'terminal' && hasTexts(item, 'terminalId');
}

function isPlanEntry(entry: JsonValue): boolean {
  if (!isObject(entry) || typeof entry.content !== 'string') return false;
  const { priority, status } = entry;
  return (
    ['high', 'medium', 'low'].includes(String(priority)) && STATUSES.slice(0, 3).includes(String(status))
  );
}

/** Each update is of a known kind with its fields, and of a session that is open. Kinds that begin with `_` are private. */
export const saysProperUpdates: Expectation<Seen> = expectSight('says proper updates', ({ lines }) => {
  const updates = updatesIn(lines);
  if (updates.length === 0) return createSkip('there was no update');
  for (const { at, sessionId, kind, fields } of updates) {
    const text = lines[at]?.text ?? '';
    if (sessionId !== sessionIn(lines)) return createFailure('the sessionId of the session', text);
    if (UNOFFERED.has(kind)) return createFailure('no update that the client has not asked for', text);
    const check = UPDATES[kind];
    if (check === undefined && !kind.startsWith('_'))
      return createFailure(`an update of a known kind: ${Object.keys(UPDATES).join(', ')}`, text);
    if (check?.(fields) === false) return createFailure(`the fields of ${kind}`, text);
  }
  return PASS;
});

/** Each `tool_call_update` is about a call that was told, and each call is completed or failed when its turn ends. */
export const finishesToolCalls: Expectation<Seen> = expectSight('finishes tool calls', ({ lines }) => {
  const open = new Map<JsonValue | undefined, string>();
  const asked = askedCalls(lines);
  for (const { at, kind, fields } of updatesIn(lines)) {
    const { toolCallId: id, status } = fields;
    if (kind === 'tool_call') open.set(id, lines[at]?.text ?? '');
    if (kind === 'tool_call_update' && !open.has(id) && !asked.has(id))
      return createFailure('a tool_call before its updates', lines[at]?.text ?? '');
    if (status === 'completed' || status === 'failed') open.set(id, '');
  }
  if (open.size === 0) return createSkip('it called no tool');
  const unfinished = [...open.values()].find((text) => text !== '');
  return unfinished === undefined
    ? PASS
    : createFailure('each tool call to be completed or failed at the end of its turn', unfinished);
});

function askedCalls(lines: Parameters<typeof updatesIn>[0]): Set<JsonValue | undefined> {
  return new Set(
    requestsFor(lines).map(({ toolCall }) => (isObject(toolCall) ? toolCall.toolCallId : undefined)),
  );
}

function requestsFor(lines: Parameters<typeof updatesIn>[0]): JsonObject[] {
  return lines.flatMap(({ text }) => {
    if (!text.includes('session/request_permission')) return [];
    const frame = JSON.parse(text) as JsonObject;
    return isObject(frame.params) ? [frame.params] : [];
  });
}

const OPTION_KINDS = ['allow_once', 'allow_always', 'reject_once', 'reject_always'];

export const asksProperly: Expectation<Seen> = expectSight('asks properly', ({ lines }, frames) => {
  const at = frames.findIndex((frame) => isCall(frame, 'session/request_permission'));
  if (at === -1) return createSkip('it asked for no permission');
  const bad = frames.findIndex((frame) => isCall(frame, 'session/request_permission') && !isQuestion(frame));
  return bad === -1
    ? PASS
    : createFailure(
        'an id, sessionId, toolCall with toolCallId, and options with optionId, name and a known kind',
        lines[bad]?.text ?? '',
      );
});

function isQuestion({ id, params }: JsonObject): boolean {
  if (id === undefined || !isObject(params)) return false;
  const { options, toolCall } = params;
  const ids = Array.isArray(options) ? options.filter(isObject).map(({ optionId }) => optionId) : [];
  return (
    hasTexts(params, 'sessionId') &&
    hasTexts(toolCall, 'toolCallId') &&
    ids.length > 0 &&
    new Set(ids).size === ids.length &&
    isListOf(
      options,
      (one) => hasTexts(one, 'optionId', 'name') && isObject(one) && OPTION_KINDS.includes(String(one.kind)),
    )
  );
}

/** Answers keep the JSON type of the ids of their requests. */
export const keepsIds: Expectation<Seen> = expectSight('keeps ids', (sight, frames) => {
  const ids = frames.filter(isResponse).map(({ id }) => id);
  const wanted = ['a-1', '9c1f-uuid'];
  return createVerdict(
    wanted.every((id) => ids.includes(id)),
    'answers with the ids "a-1" and "9c1f-uuid"',
    describeRun(sight),
  );
});
