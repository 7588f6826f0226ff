import { isObject, type JsonObject, type JsonValue } from '@plugboard/protocol';
import { createVerdict, type Expectation } from '../../case.ts';
import {
  expectRecording,
  finishes,
  hidesText,
  saysSomething,
  showsEarly,
  showsOnce,
  showsTexts,
  succeeds,
  tellsTexts,
} from '../expect.ts';
import type { HostCase, HostSight } from '../host-case.ts';
import type { Act, Recording } from '../script.ts';
import { answersRequest, fails, letsGo, objectsOf, responsesTo } from './json-lines.ts';
import { robustnessCases } from './robustness.ts';
import { createGiven, MESSAGE, type ScriptedDialect } from './scripted-dialect.ts';

const sessionId = 'session-of-the-agent';

function writeLines(...values: readonly JsonObject[]): Act {
  return { write: values.map(lineOf).join('') };
}

function lineOf(value: JsonObject): string {
  return `${JSON.stringify({ jsonrpc: '2.0', ...value })}\n`;
}

/** The answer to the last request whose method begins with `method`. */
function answer(method: string, fields: JsonObject): Act {
  return { write: `{"jsonrpc":"2.0","id":{id ${method}},${JSON.stringify(fields).slice(1)}\n` };
}

const untilMethod = (...methods: readonly string[]): Act => ({ untilObject: { method: methods } });

const update = (fields: JsonObject): JsonObject => ({
  method: 'session/update',
  params: { sessionId, update: fields },
});

function chunk(text: string, sessionUpdate = 'agent_message_chunk', messageId?: string): JsonObject {
  const id = messageId === undefined ? {} : { messageId };
  return update({ sessionUpdate, content: { type: 'text', text }, ...id });
}

/** The first answer of an agent that can do `more`. */
function welcome(more: JsonObject = {}): Act {
  const agentCapabilities = { loadSession: false, promptCapabilities: {}, mcpCapabilities: {}, ...more };
  const agentInfo = { name: 'scripted', version: '1.0.0' };
  return answer('initialize', {
    result: { protocolVersion: 1, agentCapabilities, agentInfo, authMethods: [] },
  });
}

const open: readonly Act[] = [untilMethod('session/new'), answer('session/new', { result: { sessionId } })];

const untilPrompt = untilMethod('session/prompt');

const done = answer('session/prompt', { result: { stopReason: 'end_turn' } });

const scripted: ScriptedDialect = {
  dialect: 'acp',
  trigger: 'start',
  say: (text) => lineOf(chunk(text)),
  before: [untilMethod('initialize'), welcome(), ...open, untilPrompt],
  after: [done, { untilInputEnds: true }],
  several: true,
  received: textOfPrompt,
};

/** Like `scripted`, for cases that answer the prompt themselves. */
const ending: ScriptedDialect = { ...scripted, after: [{ untilInputEnds: true }] };

/** For cases that play the handshake themselves. */
const bare: ScriptedDialect = { ...ending, before: [untilMethod('initialize')] };

function requestOf(agent: Recording, method: string): JsonObject | undefined {
  return objectsOf(agent).find((value) => value.method === method);
}

function paramsOf(agent: Recording, method: string): JsonObject {
  const params = requestOf(agent, method)?.params;
  return isObject(params) ? params : {};
}

function textOfPrompt(agent: Recording): string | undefined {
  const { prompt } = paramsOf(agent, 'session/prompt');
  const blocks = Array.isArray(prompt) ? (prompt as readonly JsonValue[]) : [];
  const texts = blocks.flatMap((block) =>
    isObject(block) && block.type === 'text' && typeof block.text === 'string' ? [block.text] : [],
  );
  return texts.length === 0 ? undefined : texts.join('\n');
}

function neverSends(...methods: readonly string[]): Expectation<HostSight> {
  return expectRecording('sends nothing else', (agent) => {
    const sent = methods.filter((method) => requestOf(agent, method) !== undefined);
    return createVerdict(sent.length === 0, `no ${methods.join(', ')}`, agent.stdin);
  });
}

const hello = createGiven(scripted, writeLines(chunk('hello')));

const tool = { toolCallId: 'call-1', title: 'List files', kind: 'execute', rawInput: { command: 'ls' } };
const options = [
  { optionId: 'yes-once', name: 'Allow', kind: 'allow_once' },
  { optionId: 'no-once', name: 'Reject', kind: 'reject_once' },
];

function isOutcome({ result }: JsonObject): boolean {
  const outcome = isObject(result) ? result.outcome : undefined;
  if (!isObject(outcome)) return false;
  if (outcome.outcome === 'cancelled') return true;
  return outcome.outcome === 'selected' && options.some(({ optionId }) => optionId === outcome.optionId);
}

function isNotFound({ error }: JsonObject): boolean {
  return isObject(error) && error.code === -32601 && typeof error.message === 'string';
}

/** The second run of a session, whose agent can `method` sessions. */
function secondRun(capabilities: JsonObject, method: string, ...replayed: readonly JsonObject[]) {
  const [run] = createGiven(
    {
      ...scripted,
      before: [
        untilMethod('initialize'),
        welcome(capabilities),
        untilMethod(method, 'session/new'),
        ...(replayed.length === 0 ? [] : [writeLines(...replayed)]),
        answer('session/', { result: { sessionId } }),
        untilPrompt,
      ],
    },
    writeLines(chunk('the second answer')),
  ).runs;
  return run === undefined ? [] : [run];
}

const canResume = { sessionCapabilities: { resume: {} } };
const canLoad = { loadSession: true };
const firstRunOf = (capabilities: JsonObject) =>
  createGiven(
    { ...scripted, before: [untilMethod('initialize'), welcome(capabilities), ...open, untilPrompt] },
    writeLines(chunk('hello')),
  ).runs;

/** Rules for clients of the Agent Client Protocol. */
export const ACP_HOST_CASES: readonly HostCase[] = [
  {
    id: 'acp/host/initialize',
    title: 'The first line is an initialize request with a number for the version.',
    level: 'must',
    hint: 'Send initialize with protocolVersion 1 and clientCapabilities before anything else.',
    given: hello,
    expect: [
      finishes,
      expectRecording('initializes first', (agent) => {
        const [first] = objectsOf(agent);
        const version = paramsOf(agent, 'initialize').protocolVersion;
        const isRight = first?.method === 'initialize' && first.id !== undefined && version === 1;
        return createVerdict(isRight, 'initialize, with protocolVersion 1', agent.stdin);
      }),
    ],
  },
  {
    id: 'acp/host/json-rpc',
    title: 'Every line is a JSON-RPC 2.0 message.',
    level: 'must',
    hint: 'Write one object a line, with "jsonrpc":"2.0" and no line feed inside.',
    given: hello,
    expect: [
      expectRecording('writes messages', (agent) => {
        const lines = agent.stdin.split('\n').filter((line) => line.trim() !== '');
        const messages = objectsOf(agent).filter(({ jsonrpc }) => jsonrpc === '2.0');
        const isRight = messages.length === lines.length && agent.stdin.endsWith('\n');
        return createVerdict(isRight, '"jsonrpc":"2.0" on every line', agent.stdin);
      }),
    ],
  },
  {
    id: 'acp/host/handshake-first',
    title: 'Nothing is sent before the answer to initialize, and its error is told.',
    level: 'must',
    hint: 'Wait for the answer: an agent may need seconds for its start.',
    given: createGiven(
      bare,
      { pauseMs: 400 },
      answer('initialize', { error: { code: -32603, message: 'The agent cannot start today.' } }),
    ),
    expect: [
      finishes,
      neverSends('session/new', 'session/prompt'),
      tellsTexts('The agent cannot start today.'),
      fails,
    ],
  },
  {
    id: 'acp/host/version',
    title: 'An agent that speaks another version is left, and the user is told.',
    level: 'must',
    hint: 'Compare protocolVersion of the answer with your own: the messages of another version are others.',
    given: createGiven(
      bare,
      answer('initialize', { result: { protocolVersion: 2, info: { name: 'scripted', version: '2' } } }),
    ),
    expect: [finishes, neverSends('session/new', 'session/prompt'), saysSomething, fails],
  },
  {
    id: 'acp/host/session-new',
    title: 'A session is opened with an absolute directory and a list of MCP servers.',
    level: 'must',
    hint: 'Send session/new with cwd and mcpServers, also where there are none: [].',
    given: hello,
    expect: [
      expectRecording('opens a session', (agent) => {
        const { cwd, mcpServers } = paramsOf(agent, 'session/new');
        const isRight = typeof cwd === 'string' && cwd.startsWith('/') && Array.isArray(mcpServers);
        return createVerdict(isRight, 'an absolute cwd, and mcpServers', agent.stdin);
      }),
    ],
  },
  {
    id: 'acp/host/login',
    title: 'The user is told when the agent needs a login.',
    level: 'must',
    hint: 'The error -32000 of session/new asks for one: say it, with the words of the agent.',
    given: createGiven(
      bare,
      welcome(),
      untilMethod('session/new'),
      answer('session/new', { error: { code: -32000, message: 'Log in first.' } }),
    ),
    expect: [finishes, saysSomething, neverSends('session/prompt'), fails],
  },
  {
    id: 'acp/host/prompt',
    title: 'The prompt names the session of the agent and is a list of blocks.',
    level: 'must',
    hint: 'Send session/prompt with the sessionId of session/new, and a block of the type text.',
    given: hello,
    expect: [
      expectRecording('prompts', (agent) => {
        const isRight =
          paramsOf(agent, 'session/prompt').sessionId === sessionId && textOfPrompt(agent) !== undefined;
        return createVerdict(isRight, `sessionId ${sessionId}, and a text block`, agent.stdin);
      }),
    ],
  },
  {
    id: 'acp/host/message',
    title: 'The message reaches the agent as the user wrote it.',
    level: 'must',
    hint: 'Put the text into a text block unchanged.',
    given: { ...hello, needs: ['{message}'] },
    expect: [
      expectRecording('passes the message on', (agent) =>
        createVerdict(textOfPrompt(agent) === MESSAGE, JSON.stringify(MESSAGE), agent.stdin),
      ),
    ],
  },
  {
    id: 'acp/host/chunks',
    title: 'Chunks of one message are joined as they are.',
    level: 'must',
    hint: 'Chunks with one messageId are one text: put nothing between them.',
    given: createGiven(
      scripted,
      writeLines(
        chunk('streamed ', undefined, 'message-1'),
        chunk('wor', undefined, 'message-1'),
        chunk('ds', undefined, 'message-1'),
      ),
    ),
    expect: [finishes, showsOnce('streamed words')],
  },
  {
    id: 'acp/host/messages',
    title: 'The texts before and after a tool call are shown, in order.',
    level: 'must',
    hint: 'Show every agent_message_chunk until the prompt is answered.',
    given: createGiven(
      scripted,
      writeLines(
        chunk('first text'),
        update({ sessionUpdate: 'tool_call', ...tool, status: 'in_progress' }),
        update({ sessionUpdate: 'tool_call_update', toolCallId: 'call-1', status: 'completed' }),
        chunk('second text'),
      ),
    ),
    expect: [finishes, showsTexts('first text', 'second text')],
  },
  {
    id: 'acp/host/messages-at-once',
    title: 'A chunk is shown while the agent still works.',
    level: 'should',
    hint: 'Show each chunk when it has come.',
    given: createGiven(
      scripted,
      writeLines(chunk('early text\n')),
      { pauseMs: 1_200 },
      writeLines(chunk('last text')),
    ),
    expect: [finishes, showsEarly('early text', 'last text', 600)],
  },
  {
    id: 'acp/host/one-turn',
    title: 'The turn goes on until the prompt is answered.',
    level: 'must',
    hint: 'Only the answer to session/prompt ends a turn; silence does not.',
    given: createGiven(
      scripted,
      writeLines(chunk('first text')),
      { pauseMs: 900 },
      writeLines(chunk('second text')),
    ),
    expect: [finishes, showsTexts('first text', 'second text'), succeeds],
  },
  {
    id: 'acp/host/error',
    title: 'The reason of a prompt that failed is told.',
    level: 'must',
    hint: 'A failed turn is an error answer to session/prompt: show its message.',
    given: createGiven(
      ending,
      answer('session/prompt', { error: { code: -32603, message: 'The model is away.' } }),
    ),
    expect: [finishes, tellsTexts('The model is away.'), fails],
  },
  {
    id: 'acp/host/unknown-update',
    title: 'Updates and notifications that the host does not know are not shown, and do not end the turn.',
    level: 'must',
    hint: 'New kinds come with every release: drop them and read on.',
    given: createGiven(
      scripted,
      writeLines(
        update({ sessionUpdate: 'sparkle_update', content: { type: 'text', text: 'glitter words' } }),
        { method: '_scripted/sparkle', params: { text: 'glitter words' } },
        { method: '$/sparkle', params: {} },
        chunk('hello'),
      ),
    ),
    expect: [finishes, showsTexts('hello'), hidesText('glitter words'), succeeds],
  },
  {
    id: 'acp/host/noise',
    title: 'Lines on stdout that are no message do not end the turn.',
    level: 'must',
    hint: 'Wrappers of agents print: drop what is not JSON.',
    given: createGiven(
      scripted,
      { write: 'Update available\n\n[1]\n5\n{"jsonrpc":\n' },
      writeLines({ id: 4711, result: {} }, chunk('hello')),
    ),
    expect: [finishes, showsTexts('hello'), succeeds],
  },
  {
    id: 'acp/host/echo',
    title: 'Echoes of the message are not shown as the answer.',
    level: 'must',
    hint: 'user_message_chunk repeats what the user has said.',
    given: createGiven(
      scripted,
      writeLines(chunk('echoed words', 'user_message_chunk'), chunk('the answer')),
    ),
    expect: [finishes, showsTexts('the answer'), hidesText('echoed words')],
  },
  {
    id: 'acp/host/thoughts',
    title: 'Thoughts of the model are not shown as the answer.',
    level: 'should',
    hint: 'agent_thought_chunk is no part of the message.',
    given: createGiven(
      scripted,
      writeLines(chunk('secret thoughts', 'agent_thought_chunk'), chunk('the answer')),
    ),
    expect: [finishes, showsTexts('the answer'), hidesText('secret thoughts')],
  },
  {
    id: 'acp/host/permission',
    title: 'A question for permission is answered with one of its options, or as cancelled.',
    level: 'must',
    hint: 'The agent waits for ever: answer with the optionId of an option, also where nobody can be asked.',
    given: createGiven(
      scripted,
      writeLines(update({ sessionUpdate: 'tool_call', ...tool, status: 'pending' }), {
        id: 'ask-1',
        method: 'session/request_permission',
        params: { sessionId, toolCall: tool, options },
      }),
      { untilObject: { id: 'ask-1' } },
      writeLines(chunk('went on')),
    ),
    expect: [
      finishes,
      answersRequest('ask-1', 'an outcome: selected with an option, or cancelled', isOutcome),
      showsTexts('went on'),
    ],
  },
  {
    id: 'acp/host/unknown-request',
    title: 'A request that the host does not know is answered with the error -32601.',
    level: 'must',
    hint: 'Answer every request: the agent waits.',
    given: createGiven(
      scripted,
      writeLines({ id: 'odd-1', method: '_scripted/sparkle', params: {} }),
      { untilObject: { id: 'odd-1' } },
      writeLines(chunk('went on')),
    ),
    expect: [finishes, answersRequest('odd-1', 'the error -32601', isNotFound), showsTexts('went on')],
  },
  {
    id: 'acp/host/same-ids',
    title: 'Requests of the agent may have the ids of requests of the host.',
    level: 'must',
    hint: 'Both sides count for themselves: a line with a method is a request, one without is an answer.',
    given: createGiven(
      scripted,
      { write: '{"jsonrpc":"2.0","id":{id session/prompt},"method":"_scripted/sparkle","params":{}}\n' },
      { pauseMs: 300 },
      writeLines(chunk('went on')),
    ),
    expect: [
      finishes,
      expectRecording('answers the request', (agent) => {
        const id = requestOf(agent, 'session/prompt')?.id ?? null;
        const responses = responsesTo(agent, id);
        return createVerdict(responses.length === 1 && responses.every(isNotFound), '-32601', agent.stdin);
      }),
      showsTexts('went on'),
      succeeds,
    ],
  },
  {
    id: 'acp/host/session-resumes',
    title: 'The next turn of a session resumes the session of the agent.',
    level: 'must',
    hint: 'Keep the sessionId, and send session/resume where the agent names sessionCapabilities.resume.',
    given: {
      runs: [...firstRunOf(canResume), ...secondRun(canResume, 'session/resume')],
      needs: ['{session}'],
    },
    expect: [
      finishes,
      showsTexts('the second answer'),
      expectRecording('resumes', (agent) =>
        createVerdict(
          paramsOf(agent, 'session/resume').sessionId === sessionId,
          `session/resume of ${sessionId}`,
          agent.stdin,
        ),
      ),
    ],
  },
  {
    id: 'acp/host/session-loads',
    title: 'What an agent replays of a session that is loaded is not shown as the answer.',
    level: 'must',
    hint: 'Without resume, send session/load: the updates before its answer are history.',
    given: {
      runs: [...firstRunOf(canLoad), ...secondRun(canLoad, 'session/load', chunk('replayed words'))],
      needs: ['{session}'],
    },
    expect: [
      finishes,
      showsTexts('the second answer'),
      hidesText('replayed words'),
      expectRecording('loads', (agent) =>
        createVerdict(
          paramsOf(agent, 'session/load').sessionId === sessionId,
          `session/load of ${sessionId}`,
          agent.stdin,
        ),
      ),
    ],
  },
  {
    id: 'acp/host/line-without-end',
    title: 'An answer whose line feed is missing ends the turn when the agent exits.',
    level: 'should',
    hint: 'When output ends, what is left over is a line.',
    given: createGiven(
      ending,
      writeLines(chunk('unfinished')),
      { write: '{"jsonrpc":"2.0","id":{id session/prompt},"result":{"stopReason":"end_turn"}}' },
      { exit: 0 },
    ),
    expect: [finishes, showsTexts('unfinished'), succeeds],
  },
  {
    id: 'acp/host/lets-go',
    title: 'The agent learns that it is no longer needed.',
    level: 'should',
    hint: 'Close stdin, and send SIGTERM to an agent that does not end then.',
    given: hello,
    expect: [letsGo],
  },
  ...robustnessCases(scripted),
];
