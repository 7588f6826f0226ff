// An agent of the Agent Client Protocol from its text; the first argument names the one rule that it breaks.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';

const mutant = process.argv[2] ?? 'none';
const breaks = (name) => mutant === name;
/** Texts of the cases that send input during a turn: such a turn must still run when the input comes. */
const LONG = /good night|without streaming/;
/** So long that a turn which ends early was stopped. */
const LONG_MS = breaks('cancel-is-end-turn') ? 3_500 : 1_600;
/** Sessions are kept in the working directory, so that a second process finds them. */
const STORE = '.acp-mutant';

const sessions = new Map();
const asked = new Map();
let calls = 0;

function write(fields) {
  const jsonrpc = breaks('without-jsonrpc') ? {} : { jsonrpc: breaks('jsonrpc-is-1') ? '1.0' : '2.0' };
  const line = `${JSON.stringify({ ...jsonrpc, ...fields })}\n`;
  process.stdout.write(breaks('latin1') ? Buffer.from(line, 'latin1') : line);
}

function respond(id, result) {
  const named = breaks('ids-are-numbers') && typeof id === 'string' ? 0 : id;
  write(breaks('result-and-error') ? { id: named, result, error: null } : { id: named, result });
}

function refuse(id, code, message) {
  if (breaks('error-without-code')) return write({ id, error: { message } });
  write({ id, error: { code, message } });
}

function update(session, sessionUpdate, fields) {
  const sessionId = breaks('update-of-other-session') ? 'other' : session.id;
  if (breaks('update-without-session'))
    return write({ method: 'session/update', params: { update: { sessionUpdate, ...fields } } });
  write({ method: 'session/update', params: { sessionId, update: { sessionUpdate, ...fields } } });
}

const COMMANDS = { availableCommands: [{ name: 'help', description: 'Says what there is.' }] };

function say(session, text) {
  if (breaks('silent')) return;
  const kind = breaks('message-unknown-kind') ? 'agent_text' : 'agent_message_chunk';
  const content = breaks('chunk-is-string') ? text : { type: 'text', text };
  update(session, kind, breaks('chunk-without-content') ? {} : { content });
}

const INITIALIZE = {
  'version-is-string': { protocolVersion: '1' },
  'version-is-2': { protocolVersion: 2 },
  'without-version': { protocolVersion: undefined },
  'agent-info-without-version': { agentInfo: { name: 'mutant' } },
  'auth-methods-without-id': { authMethods: [{ name: 'Key' }] },
};

const CAPABILITIES = {
  'load-is-object': { loadSession: {} },
  'list-is-true': { sessionCapabilities: { list: true } },
  'prompt-image-is-object': { promptCapabilities: { image: {} } },
  'mcp-is-list': { mcpCapabilities: { http: [] } },
};

const METHODS = {
  initialize(id, { protocolVersion, clientInfo }) {
    if (breaks('refuses-versions') && protocolVersion !== 1)
      return refuse(id, -32602, 'That version is not known.');
    if (breaks('needs-client-info') && clientInfo === undefined) return refuse(id, -32602, 'Who are you?');
    if (breaks('refuses-null') && clientInfo === null) return refuse(id, -32602, 'clientInfo is null.');
    if (breaks('repeats-version')) return respond(id, { protocolVersion });
    const agentCapabilities = {
      loadSession: true,
      promptCapabilities: { image: true, embeddedContext: true },
      sessionCapabilities: { list: {}, close: {}, resume: {} },
      ...CAPABILITIES[mutant],
    };
    const agentInfo = { name: 'mutant', version: '1.0.0' };
    respond(id, { protocolVersion: 1, agentCapabilities, agentInfo, authMethods: [], ...INITIALIZE[mutant] });
    if (breaks('logs-to-stdout')) process.stdout.write('Ready.\n');
  },
  'session/new'(id) {
    const session = createSession(breaks('one-session-id') ? 'same' : `s-${process.pid}-${sessions.size}`);
    if (breaks('updates-before-session')) update(session, 'available_commands_update', COMMANDS);
    const current = breaks('mode-not-offered') ? 'other' : 'ask';
    const modes = { currentModeId: current, availableModes: [{ id: 'ask', name: 'Ask' }] };
    const option = {
      id: 'model',
      name: 'Model',
      type: 'select',
      currentValue: 'a',
      options: [{ value: 'a', name: 'A' }],
    };
    if (breaks('option-not-offered')) option.currentValue = 'b';
    if (breaks('option-without-type')) delete option.type;
    const named = breaks('session-is-number') ? { sessionId: 7 } : { sessionId: session.id };
    respond(id, { ...(breaks('session-without-id') ? {} : named), modes, configOptions: [option] });
    if (breaks('command-without-name'))
      update(session, 'available_commands_update', { availableCommands: [{ description: 'x' }] });
    else update(session, 'available_commands_update', COMMANDS);
  },
  'session/load'(id, { sessionId }) {
    if (!breaks('loads-anything') && !existsSync(join(STORE, sessionId)))
      return refuse(id, -32002, 'There is no such session.');
    const session = createSession(sessionId);
    const history = existsSync(join(STORE, sessionId)) ? readFileSync(join(STORE, sessionId), 'utf8') : '';
    if (breaks('load-without-replay')) return respond(id, null);
    if (breaks('replay-after-answer')) respond(id, {});
    update(session, 'user_message_chunk', { content: { type: 'text', text: history } });
    if (!breaks('replay-after-answer')) respond(id, {});
  },
  'session/resume'(id, { sessionId }) {
    if (breaks('resumes-nothing')) return refuse(id, -32002, 'There is no such session.');
    createSession(sessionId);
    respond(id, {});
  },
  'session/list'(id) {
    const all = [...sessions.keys()].map((sessionId) => ({ sessionId, cwd: process.cwd() }));
    respond(id, { sessions: breaks('lists-nothing') ? [] : all });
  },
  'session/close'(id, { sessionId }) {
    if (!breaks('close-keeps-session')) sessions.delete(sessionId);
    respond(id, {});
  },
  'session/prompt'(id, { sessionId, prompt }) {
    const session = breaks('any-session') ? [...sessions.values()][0] : sessions.get(sessionId);
    if (session === undefined)
      return breaks('unknown-session-unanswered')
        ? undefined
        : refuse(id, -32602, 'There is no such session.');
    if (!Array.isArray(prompt))
      return breaks('bad-params-unanswered') ? undefined : refuse(id, -32602, '`prompt` is no list.');
    if (breaks('text-alone') && prompt.some(({ type }) => type !== 'text'))
      return refuse(id, -32602, 'Text alone.');
    if (breaks('refuses-resources') && prompt.some(({ type }) => type === 'resource'))
      return refuse(id, -32602, 'No resources.');
    const text = prompt.map((block) => block.text ?? '').join('\n');
    if (breaks('silent-on-large') && text.length > 100_000) return;
    session.queue.push({ id, text });
    if (session.running === undefined) next(session);
    else if (breaks('drops-second')) session.queue.pop();
    else if (breaks('second-is-error')) {
      session.queue.pop();
      refuse(id, -32603, 'Busy.');
    }
  },
};

function createSession(id) {
  const session = { id, queue: [], running: undefined, timer: undefined, cancelled: false };
  sessions.set(id, session);
  mkdirSync(STORE, { recursive: true });
  writeFileSync(join(STORE, id), 'Hello.');
  return session;
}

function next(session) {
  session.running = session.queue.shift();
  if (session.running === undefined) return;
  session.timer = setTimeout(answer, LONG.test(session.running.text) ? LONG_MS : 5, session);
}

function useTool(session) {
  const toolCallId = 'call_1';
  const status = breaks('tool-status-unknown') ? 'running' : 'pending';
  const kind = breaks('tool-kind-unknown') ? 'shell' : 'execute';
  if (!breaks('update-before-call'))
    update(session, 'tool_call', {
      ...(breaks('tool-without-title') ? {} : { title: 'Look' }),
      toolCallId,
      status,
      kind,
    });
  if (breaks('reads-files'))
    write({ id: calls++, method: 'fs/read_text_file', params: { sessionId: session.id, path: '/x' } });
  const content = breaks('tool-content-unknown')
    ? [{ type: 'sound' }]
    : [{ type: 'content', content: { type: 'text', text: 'done' } }];
  if (breaks('tool-unfinished')) return;
  update(session, 'tool_call_update', { toolCallId, status: 'completed', content });
}

function askPermission(session, then) {
  const id = calls++;
  const option = { optionId: 'no', name: 'No', kind: breaks('option-kind-unknown') ? 'deny' : 'reject_once' };
  if (breaks('option-without-id')) delete option.optionId;
  const toolCall = breaks('question-without-call')
    ? {}
    : { toolCallId: 'call_2', title: 'Write', status: 'pending' };
  const options = breaks('question-without-options') ? [] : [option];
  asked.set(id, then);
  update(session, 'tool_call', { toolCallId: 'call_2', title: 'Write', status: 'pending' });
  write({ id, method: 'session/request_permission', params: { sessionId: session.id, toolCall, options } });
}

const TURNS = {
  'plan-without-status': (session) =>
    update(session, 'plan', { entries: [{ content: 'x', priority: 'high' }] }),
  'notice-unasked': (session) => update(session, 'notice', { severity: 'info', title: 'x' }),
  'usage-of-strings': (session) => update(session, 'usage_update', { used: '1', size: '2' }),
};

const QUESTIONS = [
  'option-kind-unknown',
  'option-without-id',
  'question-without-call',
  'question-without-options',
];

function answer(session) {
  TURNS[mutant]?.(session);
  if (breaks('none') || breaks('reads-files') || breaks('update-before-call') || mutant.startsWith('tool-'))
    useTool(session);
  const finish = () => {
    say(session, `You said: ${session.running?.text ?? ''} é`);
    end(session, 'end_turn');
  };
  if (QUESTIONS.includes(mutant))
    askPermission(session, () => {
      update(session, 'tool_call_update', { toolCallId: 'call_2', status: 'failed' });
      finish();
    });
  else finish();
}

function end(session, stopReason) {
  clearTimeout(session.timer);
  const { id } = session.running;
  session.running = undefined;
  if (breaks('no-answers')) return next(session);
  if (breaks('cancel-is-error') && stopReason === 'cancelled') refuse(id, -32603, 'Aborted.');
  else respond(id, { stopReason: breaks('stop-reason-unknown') ? 'done' : stopReason });
  if (breaks('answers-twice')) respond(id, { stopReason });
  if (breaks('speaks-after-answer')) say(session, 'And one more.');
  next(session);
}

function cancel({ sessionId }) {
  const session = sessions.get(sessionId);
  if (breaks('cancel-ends-process')) process.exit(0);
  if (session === undefined || breaks('cancel-ignored')) return;
  if (session.running !== undefined) end(session, breaks('cancel-is-end-turn') ? 'end_turn' : 'cancelled');
  else if (breaks('cancel-hits-next')) sessions.delete(sessionId);
}

function receive(line) {
  if (line.trim() === '') return;
  let message;
  try {
    message = JSON.parse(line);
  } catch (error) {
    if (breaks('dies-of-bad-line')) process.exit(1);
    return breaks('bad-line-unreported') ? undefined : refuse(null, -32700, error.message);
  }
  const { id, method, params = {} } = message;
  if (method === undefined && id !== undefined && asked.has(id)) return asked.get(id)();
  if (method === undefined && id !== undefined) return;
  if (typeof method !== 'string') {
    if (breaks('dies-of-bad-line')) process.exit(1);
    return breaks('bad-line-unreported') ? undefined : refuse(null, -32600, 'No method.');
  }
  if (breaks('refuses-meta') && params._meta)
    return id === undefined ? undefined : refuse(id, -32602, '_meta.');
  if (method === 'session/cancel') return cancel(params);
  if (METHODS[method] !== undefined) return METHODS[method](id, params);
  if (breaks('answers-with-null') && id === undefined) return refuse(null, -32601, 'x');
  if (breaks('answers-notifications') && id === undefined)
    return write({ id: undefined, error: { code: -32601, message: 'x' } });
  if (id === undefined || breaks('unknown-method-unanswered')) return;
  refuse(id, breaks('unknown-method-other-code') ? -32603 : -32601, 'There is no such method.');
}

if (breaks('ignores-sigterm')) process.on('SIGTERM', () => {});
if (breaks('ignores-sigterm-at-work'))
  process.on('SIGTERM', () => [...sessions.values()].some(({ running }) => running) || process.exit(143));
const decoder = new StringDecoder(breaks('reads-latin1') ? 'latin1' : 'utf8');
let rest = '';
for await (const piece of process.stdin) {
  const lines = (rest + decoder.write(piece)).split(breaks('splits-at-u2028') ? /[\n\u2028]/ : '\n');
  rest = breaks('piece-is-line') ? '' : lines.pop();
  for (const line of lines) receive(breaks('refuses-crlf') && line.endsWith('\r') ? 'x' : line);
}
if (breaks('leaves-a-child')) spawn('sleep', ['3'], { stdio: 'ignore', detached: true }).unref();
if (breaks('stays-after-end')) setInterval(() => {}, 1000);
else process.exit(breaks('exits-3') ? 3 : 0);
