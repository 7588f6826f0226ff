// A client of the Agent Client Protocol for one turn: MUTANT AGENT MESSAGE SESSION TIMEOUT.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { breaks, isForgotten, leave, messageOf, mutant, show, start, tell, tellLate } from './start.mjs';

const [agent, message, session, timeout] = process.argv.slice(3);
const memory = join(dirname(agent), `session-${session}`);
const cwd = breaks('relative-cwd') ? '.' : process.cwd();
const servers = breaks('without-servers') ? {} : { mcpServers: [] };
const held = [];
const calls = new Map();
let child;
let count = 0;
let answered = false;
let failed = false;
let replaying = false;
let silence;

function known() {
  try {
    return breaks('forgets-session') ? undefined : readFileSync(memory, 'utf8');
  } catch {
    return undefined;
  }
}

const lineOf = (value) =>
  `${JSON.stringify(breaks('without-jsonrpc') ? value : { jsonrpc: '2.0', ...value })}\n`;
const write = (value) => child.stdin.write(lineOf(value));

function call(method, params, onAnswer) {
  const id = count++;
  calls.set(id, onAnswer);
  write({ id, method, params });
}

function say(text) {
  if (breaks('forgets-at-timeout')) held.push(text);
  else show(text);
}

function fail(text) {
  failed = true;
  if (text !== undefined) tell(text);
  child.stdin.end();
}

function onInitialized({ result, error }) {
  if (error) return fail(breaks('hides-handshake-error') ? 'No.' : error.message);
  if (result.protocolVersion !== 1 && !breaks('takes-any-version')) return fail('It speaks another version.');
  const { loadSession, sessionCapabilities } = result.agentCapabilities ?? {};
  const sessionId = known();
  if (sessionId !== undefined && sessionCapabilities?.resume)
    return call('session/resume', { sessionId, cwd, ...servers }, () => prompt(sessionId));
  if (sessionId !== undefined && loadSession) {
    replaying = !breaks('shows-replay');
    return call('session/load', { sessionId, cwd, ...servers }, () => prompt(sessionId));
  }
  call('session/new', { cwd, ...servers }, (answer) => {
    if (answer.error) return fail(breaks('hides-login') ? undefined : answer.error.message);
    mkdirSync(dirname(memory), { recursive: true });
    writeFileSync(memory, answer.result.sessionId);
    prompt(answer.result.sessionId);
  });
}

function prompt(sessionId) {
  replaying = false;
  const text = messageOf(message);
  const blocks = breaks('prompt-is-string') ? text : [{ type: 'text', text }];
  call('session/prompt', { sessionId: breaks('own-session-id') ? session : sessionId, prompt: blocks }, end);
}

function end({ error }) {
  answered = true;
  if (error) {
    failed = true;
    tell(breaks('hides-error') ? 'It failed.' : error.message);
  }
  if (!breaks('never-lets-go')) child.stdin.end();
}

const SHOWN = ['agent_message_chunk'];
if (breaks('shows-echoes')) SHOWN.push('user_message_chunk');
if (breaks('shows-thoughts')) SHOWN.push('agent_thought_chunk');
if (breaks('shows-unknown-updates')) SHOWN.push('sparkle_update');

function onUpdate({ sessionUpdate, content }) {
  if (SHOWN.includes(sessionUpdate) && !replaying)
    say(breaks('divides-chunks') ? `${content.text}\n` : content.text);
  if (breaks('ends-with-tool') && sessionUpdate === 'tool_call') process.exit(0);
  if (!breaks('ends-in-silence')) return;
  clearTimeout(silence);
  silence = setTimeout(() => process.exit(0), 600);
}

function onRequest({ id, method, params }) {
  if (method === 'session/request_permission') {
    const reject = params.options.find(({ kind }) => kind === 'reject_once');
    const optionId = breaks('invents-option') ? 'no' : reject.optionId;
    if (!breaks('leaves-permission-open'))
      write({ id, result: { outcome: { outcome: 'selected', optionId } } });
  } else if (breaks('agrees-to-anything')) write({ id, result: {} });
  else if (!breaks('leaves-requests-open')) write({ id, error: { code: -32601, message: 'Not found.' } });
}

function onLine(line) {
  let value;
  try {
    value = JSON.parse(line) ?? {};
  } catch (error) {
    if (breaks('dies-of-noise')) throw error;
    return;
  }
  const { id, method, params } = value;
  const isAnswer = method === undefined || (breaks('one-table-of-ids') && calls.has(id));
  if (isAnswer) {
    const onAnswer = calls.get(id);
    calls.delete(id);
    onAnswer?.(value);
  } else if (id !== undefined) onRequest(value);
  else if (method === 'session/update') onUpdate(params.update);
}

const ending = await start(agent, {
  keepsInput: true,
  timeoutSecs: Number(timeout),
  onLine,
  onStart(started) {
    child = started;
    const protocolVersion = breaks('version-is-string') ? '1' : 1;
    if (breaks('session-before-initialize')) write({ id: 'x', method: 'session/list', params: {} });
    if (breaks('writes-broken-line')) child.stdin.write('{"jsonrpc":\n');
    call('initialize', { protocolVersion, clientCapabilities: {} }, onInitialized);
    if (breaks('does-not-wait')) write({ id: 'y', method: 'session/new', params: { cwd, ...servers } });
  },
});
if (!isForgotten(ending)) for (const text of held) show(text);
tellLate(ending);
if (!answered && !failed && !ending.isLate) tell('The agent ended without an answer.');
leave(answered && !failed && mutant !== undefined ? 0 : 1);
