import { isObject, type JsonObject, type JsonValue, parseJson } from '@plugboard/protocol';
import type { Place } from '../../observe/place.ts';
import type { SeenLine, Sight, Start, Step } from '../../observe/sight.ts';
import type { Scene } from '../scene.ts';
import { inTwoPieces } from '../scene.ts';
import { LARGE_TEXT, NON_ASCII, TEXTS } from '../texts.ts';
import {
  capabilitiesIn,
  errorOf,
  hasSessionCapability,
  INITIALIZE_ID,
  responsesTo,
  SESSION_ID,
  sessionIn,
} from './frames.ts';

const CLIENT = { clientCapabilities: {}, clientInfo: { name: 'plugboard-check', version: '1' } };

function requestLine(id: JsonValue, method: string, params: JsonObject): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
}

function request(id: JsonValue, method: string, params: JsonObject): Step {
  return { send: requestLine(id, method, params) };
}

function notify(method: string, params: JsonObject): Step {
  return { send: `${JSON.stringify({ jsonrpc: '2.0', method, params })}\n` };
}

function waitFor(id: JsonValue, what: string): Step {
  return {
    wait: { what: `an answer to ${what}`, done: (lines) => responsesTo(lines, id).length > 0 },
  };
}

/** A request about the session of the scene, and its answer. */
function inSession(id: JsonValue, method: string, params: JsonObject = {}): Step {
  return {
    send: (lines) => requestLine(id, method, { sessionId: sessionIn(lines) ?? 'none', ...params }),
  };
}

function textBlocks(text: string): JsonValue[] {
  return [{ type: 'text', text }];
}

function promptWith(id: JsonValue, prompt: readonly JsonValue[]): readonly Step[] {
  return [inSession(id, 'session/prompt', { prompt: [...prompt] }), waitFor(id, 'session/prompt')];
}

function say(id: JsonValue, text: string): readonly Step[] {
  return promptWith(id, textBlocks(text));
}

const initialize: readonly Step[] = [
  request(INITIALIZE_ID, 'initialize', { protocolVersion: 1, ...CLIENT }),
  waitFor(INITIALIZE_ID, 'initialize'),
];

function openSession({ workspace }: Place, id: JsonValue = SESSION_ID): readonly Step[] {
  return [request(id, 'session/new', { cwd: workspace, mcpServers: [] }), waitFor(id, 'session/new')];
}

const stop: Step = { stop: true };

/** Waits after the end of stdin, so that updates which come too late are seen as well. */
const drain: readonly Step[] = [{ close: true }, { pauseMs: 500 }, stop];

/**
 * Answers requests of the agent: a permission is refused, everything else is not there. A client that leaves a request
 * unanswered hangs the agent.
 */
function answerAgent(line: string): string | undefined {
  const parsed = parseJson(line);
  if (!parsed.ok || !isObject(parsed.value)) return undefined;
  const { id, method, params } = parsed.value;
  if (id === undefined || typeof method !== 'string') return undefined;
  const answer =
    method === 'session/request_permission'
      ? { result: { outcome: refusalOf(params) } }
      : { error: { code: -32601, message: 'Method not found' } };
  return `${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`;
}

function refusalOf(params: JsonValue | undefined): JsonObject {
  const options = isObject(params) && Array.isArray(params.options) ? params.options.filter(isObject) : [];
  const option = options.find(({ kind }) => kind === 'reject_once');
  return option === undefined
    ? { outcome: 'cancelled' }
    : { outcome: 'selected', optionId: option.optionId ?? '' };
}

function createScene(stepsFor: (place: Place) => readonly Step[]): Scene {
  return { first: (place) => ({ steps: stepsFor(place), reply: answerAgent }) };
}

/** A scene in a session: `steps` follow `initialize` and `session/new`. */
function sessionScene(...steps: readonly (Step | readonly Step[])[]): Scene {
  return createScene((place) => [...initialize, ...openSession(place), ...steps.flat(), stop]);
}

/** A second process in the same project, which is given the session of the first one. */
function laterScene(
  capability: 'load' | 'resume',
  stepsFor: (sessionId: string, place: Place) => readonly Step[],
): Scene {
  return {
    first: firstConversation,
    keepsPlace: true,
    second(first, place) {
      const session = sessionIn(first.lines);
      if (session === undefined) return { skip: 'it opened no session' };
      if (!offers(first, capability)) return { skip: `it does not offer session/${capability}` };
      return { steps: [...initialize, ...stepsFor(session, place), stop], reply: answerAgent };
    },
  };
}

function offers({ lines }: Sight, capability: 'load' | 'resume'): boolean {
  return capability === 'load'
    ? capabilitiesIn(lines).loadSession === true
    : hasSessionCapability(lines, capability);
}

/** Shared by `plain` and the scenes of a second process, so that it runs once. */
const firstConversation = (place: Place): Start => ({
  steps: [...initialize, ...openSession(place), ...say(2, TEXTS.plain), ...say(3, TEXTS.bare), ...drain],
  reply: answerAgent,
});

function reopen(method: string, sessionId: string, { workspace }: Place): readonly Step[] {
  return [
    request(7, method, { sessionId, cwd: workspace, mcpServers: [] }),
    waitFor(7, method),
    request(8, 'session/prompt', { sessionId, prompt: textBlocks(TEXTS.again) }),
    waitFor(8, 'session/prompt'),
  ];
}

/** The prompt that `ACP_STARTS.cancel` cancels, left alone. */
const waitingPrompt = (place: Place): Start => ({
  steps: [...initialize, ...openSession(place), ...say(2, TEXTS.waiting), stop],
  reply: answerAgent,
});

/** Lines that are no request, by the name that the case ids begin with. */
const BAD_LINES = {
  'bad-json': '{"jsonrpc":"2.0","id":90,"method":',
  array: '[1,2,3]',
  'no-method': '{"jsonrpc":"2.0"}',
} as const;

/** A bad line followed by a prompt, which must still be answered. */
export const BAD_LINE_SCENES: Readonly<Record<string, Scene>> = Object.fromEntries(
  Object.entries(BAD_LINES).map(([name, line]) => [
    name,
    sessionScene({ send: `${line}\n` }, say(2, TEXTS.again)),
  ]),
);

/** A prompt is running when the agent has said something, or after a second. */
const someOutput: Step = { pauseMs: 300 };

/** Both prompts have their answers. */
const waitForBoth: Step = {
  wait: {
    what: 'an answer to each of two prompts',
    done: (lines: readonly SeenLine[]) => [2, 3].every((id) => responsesTo(lines, id).length > 0),
  },
};

/** Scenes of ACP agents, named by the input that they test. */
export const ACP_STARTS = {
  plain: { first: firstConversation },
  version: createScene(() => [
    request(INITIALIZE_ID, 'initialize', { protocolVersion: 65_535, ...CLIENT }),
    waitFor(INITIALIZE_ID, 'initialize'),
    stop,
  ]),
  bareInitialize: createScene(() => [
    request(INITIALIZE_ID, 'initialize', { protocolVersion: 1 }),
    waitFor(INITIALIZE_ID, 'initialize'),
    stop,
  ]),
  textIds: createScene((place) => [
    request('a-1', 'initialize', { protocolVersion: 1, ...CLIENT }),
    waitFor('a-1', 'initialize'),
    request('9c1f-uuid', 'session/new', { cwd: place.workspace, mcpServers: [] }),
    waitFor('9c1f-uuid', 'session/new'),
    stop,
  ]),
  twoSessions: createScene((place) => [
    ...initialize,
    ...openSession(place),
    ...openSession(place, 5),
    ...say(2, TEXTS.plain),
    {
      send: (lines) => {
        const [other] = responsesTo(lines, 5);
        const sessionId = isObject(other?.result) ? (other.result.sessionId ?? 'none') : 'none';
        return requestLine(3, 'session/prompt', { sessionId, prompt: textBlocks(TEXTS.bare) });
      },
    },
    waitFor(3, 'session/prompt'),
    stop,
  ]),
  repeated: sessionScene(say(2, TEXTS.plain), say(3, `${NON_ASCII}: say it back.`)),
  separator: sessionScene(say(2, TEXTS.nonAscii)),
  large: sessionScene(say(2, LARGE_TEXT)),
  link: {
    first: (place: Place): Start => ({
      steps: [
        ...initialize,
        ...openSession(place),
        ...promptWith(2, [
          { type: 'text', text: TEXTS.media },
          { type: 'resource_link', uri: `file://${place.picture}`, name: 'picture.gif' },
        ]),
        stop,
      ],
      reply: answerAgent,
    }),
  },
  resource: sessionScene(
    promptWith(2, [
      { type: 'text', text: TEXTS.media },
      { type: 'resource', resource: { uri: 'file:///notes.txt', text: 'A note.', mimeType: 'text/plain' } },
    ]),
  ),
  unknownFields: createScene((place) => [
    ...initialize,
    request(SESSION_ID, 'session/new', {
      cwd: place.workspace,
      mcpServers: [],
      _meta: { 'check.example': { locale: 'de' } },
    }),
    waitFor(SESSION_ID, 'session/new'),
    inSession(2, 'session/prompt', {
      prompt: [{ type: 'text', text: TEXTS.unknown, annotations: { priority: 1 } }],
      _meta: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
    }),
    waitFor(2, 'session/prompt'),
    stop,
  ]),
  nulls: createScene((place) => [
    request(INITIALIZE_ID, 'initialize', {
      protocolVersion: 1,
      clientCapabilities: { fs: null, terminal: null, _meta: null },
      clientInfo: null,
      _meta: null,
    }),
    waitFor(INITIALIZE_ID, 'initialize'),
    request(SESSION_ID, 'session/new', { cwd: place.workspace, mcpServers: [], _meta: null }),
    waitFor(SESSION_ID, 'session/new'),
    inSession(2, 'session/prompt', {
      prompt: [{ type: 'text', text: TEXTS.unknown, annotations: null }],
      _meta: null,
    }),
    waitFor(2, 'session/prompt'),
    stop,
  ]),
  unknownMethod: sessionScene(
    request(6, '_check/unheard_of', {}),
    waitFor(6, 'a request that is unknown'),
    say(2, TEXTS.again),
  ),
  unknownNotification: sessionScene(
    notify('_check/unheard_of', {}),
    notify('$/cancel_request', { requestId: 4_711 }),
    say(2, TEXTS.again),
  ),
  badParams: sessionScene(
    inSession(6, 'session/prompt', { prompt: 'no list' }),
    waitFor(6, 'session/prompt with a prompt that is no list'),
    say(2, TEXTS.again),
  ),
  unknownSession: sessionScene(
    request(6, 'session/prompt', { sessionId: 'check-unheard-of', prompt: textBlocks(TEXTS.plain) }),
    waitFor(6, 'a prompt to a session that does not exist'),
    say(2, TEXTS.again),
  ),
  cancel: {
    first: waitingPrompt,
    second: (_first: Sight, place: Place): Start => ({
      steps: [
        ...initialize,
        ...openSession(place),
        inSession(2, 'session/prompt', { prompt: textBlocks(TEXTS.waiting) }),
        someOutput,
        {
          send: (lines) =>
            `${JSON.stringify({ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: sessionIn(lines) ?? 'none' } })}\n`,
        },
        waitFor(2, 'a prompt that was cancelled'),
        ...say(3, TEXTS.again),
        ...drain,
      ],
      reply: answerAgent,
    }),
  },
  cancelIdle: sessionScene(
    {
      send: (lines) =>
        `${JSON.stringify({ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: sessionIn(lines) ?? 'none' } })}\n`,
    },
    say(2, TEXTS.again),
  ),
  secondPrompt: sessionScene(
    inSession(2, 'session/prompt', { prompt: textBlocks(TEXTS.whole) }),
    someOutput,
    inSession(3, 'session/prompt', { prompt: textBlocks(TEXTS.again) }),
    waitForBoth,
    drain,
  ),
  split: {
    first: firstConversation,
    second: (first: Sight) => ({
      steps: [
        ...inTwoPieces(requestLine(INITIALIZE_ID, 'initialize', { protocolVersion: 1, ...CLIENT }), first),
        waitFor(INITIALIZE_ID, 'initialize'),
        stop,
      ],
    }),
  },
  crlf: createScene(() => [
    {
      send: requestLine(INITIALIZE_ID, 'initialize', { protocolVersion: 1, ...CLIENT }).replace('\n', '\r\n'),
    },
    waitFor(INITIALIZE_ID, 'initialize'),
    stop,
  ]),
  list: sessionScene(say(2, TEXTS.plain), request(6, 'session/list', {}), waitFor(6, 'session/list')),
  close: sessionScene(
    say(2, TEXTS.plain),
    inSession(6, 'session/close'),
    waitFor(6, 'session/close'),
    inSession(3, 'session/prompt', { prompt: textBlocks(TEXTS.again) }),
    waitFor(3, 'a prompt to a session that was closed'),
  ),
  load: laterScene('load', (sessionId, place) => reopen('session/load', sessionId, place)),
  resume: laterScene('resume', (sessionId, place) => reopen('session/resume', sessionId, place)),
  loadUnknown: laterScene('load', (_sessionId, place) => [
    ...reopen('session/load', 'check-unheard-of', place).slice(0, 2),
  ]),
  idleEnd: createScene(() => [...initialize, { close: true }]),
  // 300 ms after the answer: an agent may install its SIGTERM handler only then.
  terminated: createScene(() => [...initialize, { settleMs: 300 }, { signal: 'SIGTERM' }]),
  terminatedRunning: createScene((place) => [
    ...initialize,
    ...openSession(place),
    inSession(2, 'session/prompt', { prompt: textBlocks(TEXTS.waiting) }),
    someOutput,
    { signal: 'SIGTERM' },
  ]),
  leaving: {
    first: (place: Place): Start => ({
      steps: [...initialize, ...openSession(place), ...say(2, TEXTS.leaving), { close: true }],
      reply: answerAgent,
      looksForLeftovers: true,
    }),
  },
} satisfies Record<string, Scene>;

/** Why a scene could not go as far as a prompt; undefined if it could. */
export function loginProblem({ lines }: Sight): string | undefined {
  return errorOf(lines, SESSION_ID)?.code === -32_000 ? 'it wants a login first' : undefined;
}
