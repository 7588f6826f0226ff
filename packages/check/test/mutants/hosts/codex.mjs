// A host of codex app-server for one turn: MUTANT AGENT MESSAGE SESSION TIMEOUT.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { breaks, isForgotten, leave, messageOf, mutant, show, start, tell, tellLate } from './start.mjs';

const [agent, message, session, timeout] = process.argv.slice(3);
const memory = join(dirname(agent), `session-${session}`);
const cwd = breaks('relative-cwd') ? '.' : process.cwd();
const held = [];
const calls = new Map();
const streamed = new Map();
let child;
let count = 0;
let thread;
let turn;
let answered = false;
let failed = false;
let silence;

function known() {
  try {
    return breaks('forgets-session') ? undefined : readFileSync(memory, 'utf8');
  } catch {
    return undefined;
  }
}

const write = (value) => child.stdin.write(`${JSON.stringify(value)}\n`);

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
  tell(text);
  child.stdin.end();
}

function onInitialized({ error }) {
  if (error) return fail(breaks('hides-handshake-error') ? 'No.' : error.message);
  if (!breaks('never-initialized')) write({ method: 'initialized' });
  const threadId = known();
  const onThread = ({ error: refused, result }) => {
    if (refused) return fail(breaks('hides-refusal') ? 'No.' : refused.message);
    thread = result.thread.id;
    mkdirSync(dirname(memory), { recursive: true });
    writeFileSync(memory, thread);
    const text = messageOf(message);
    const input = breaks('input-is-string') ? text : [{ type: 'text', text }];
    call('turn/start', { threadId: breaks('own-thread-id') ? session : thread, input }, onTurn);
  };
  if (threadId === undefined) call('thread/start', { cwd }, onThread);
  else call('thread/resume', { threadId, cwd }, onThread);
}

function onTurn({ result }) {
  turn ??= result.turn.id;
}

const REASONS = ['agentMessage'];
if (breaks('shows-thoughts')) REASONS.push('reasoning');
if (breaks('shows-echoes')) REASONS.push('userMessage');
if (breaks('shows-unknown-items')) REASONS.push('sparkle');

function onItem(item) {
  if (breaks('ends-with-command') && item.type === 'commandExecution') process.exit(0);
  if (!REASONS.includes(item.type)) return;
  const text = item.text ?? item.summary?.join('') ?? item.content?.[0]?.text;
  const isKnown = streamed.get(item.id) === text && !breaks('repeats-deltas');
  say(isKnown ? '\n' : `${text}\n`);
  streamed.delete(item.id);
}

function onCompleted({ status, error }) {
  answered = true;
  if (status === 'failed') {
    failed = true;
    tell(breaks('hides-error') ? 'It failed.' : error.message);
    if (breaks('tells-error-twice')) say(`${error.message}\n${error.message}\n`);
  }
  if (!breaks('never-lets-go')) child.stdin.end();
}

const isOurs = ({ threadId, turnId }) =>
  breaks('takes-any-thread') ||
  ((threadId === undefined || threadId === thread) && (turnId === undefined || turnId === turn));

function onNotification(method, params) {
  if (method === 'turn/started' && !breaks('needs-answer-first') && !breaks('takes-any-turn-id'))
    turn = params.turn.id;
  if (breaks('takes-any-turn-id')) turn ??= params.turnId;
  if (breaks('dies-of-unknown') && method === 'sparkle') throw new Error('What?');
  if (!isOurs(params)) return;
  if (method === 'item/agentMessage/delta') {
    streamed.set(params.itemId, (streamed.get(params.itemId) ?? '') + params.delta);
    say(params.delta);
  } else if (method === 'item/completed') onItem(params.item);
  else if (method === 'turn/completed') onCompleted(params.turn);
  else if (method === 'error' && breaks('ends-with-retry')) fail(params.error.message);
  if (!breaks('ends-in-silence')) return;
  clearTimeout(silence);
  silence = setTimeout(() => process.exit(0), 600);
}

function onRequest({ id, method }) {
  if (method.endsWith('requestApproval')) {
    const isLeft = breaks('leaves-command-open')
      ? method.includes('command')
      : breaks('leaves-change-open') && method.includes('fileChange');
    if (!isLeft) write({ id, result: { decision: breaks('invents-decision') ? 'no' : 'decline' } });
  } else if (method === 'item/tool/requestUserInput')
    write({ id, result: breaks('answers-nothing') ? null : { answers: {} } });
  else if (breaks('agrees-to-anything')) write({ id, result: {} });
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
  else onNotification(method, params);
}

const ending = await start(agent, {
  args: breaks('starts-it-bare') ? [] : ['app-server'],
  keepsInput: true,
  timeoutSecs: Number(timeout),
  onLine,
  onStart(started) {
    child = started;
    if (breaks('list-before-initialize')) write({ id: 'x', method: 'thread/list', params: {} });
    if (breaks('writes-broken-line')) child.stdin.write('{"method":\n');
    call(
      'initialize',
      breaks('without-client') ? {} : { clientInfo: { name: 'mutant', version: '1' } },
      onInitialized,
    );
    if (breaks('does-not-wait')) write({ id: 'y', method: 'thread/start', params: { cwd } });
  },
});
if (!isForgotten(ending)) for (const text of held) show(text);
tellLate(ending);
if (!answered && !failed && !ending.isLate) tell('The agent ended without an answer.');
leave(answered && !failed && mutant !== undefined ? 0 : 1);
