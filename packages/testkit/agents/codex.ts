import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/*
 * Speaks `codex app-server` and `codex exec --json` as the real program does, without a model. The first word of a message
 * says what happens: `think`, `run CMD`, `write FILE`, `ask me`, `slow`, `plan`, `error`, `retry`, `crash`, `big`, `json`,
 * `history`, `odd`, `raw JSON`. Anything else is repeated. Threads are files in SCRIPTED_SESSIONS.
 */

type Fields = Record<string, unknown>;

interface Turn {
  readonly id: string;
  readonly stop: AbortController;
  readonly steered: string[];
  status: 'completed' | 'interrupted' | 'failed';
  error: Fields | null;
  last: string;
}

interface Thread {
  readonly id: string;
  readonly history: string[];
  values: Fields;
  turn: Turn | undefined;
  /** Interrupts of a turn that is over: they are answered when the next one ends. */
  readonly late: unknown[];
}

const words = process.argv.slice(2);
const folder = process.env.SCRIPTED_SESSIONS ?? process.cwd();
const threads = new Map<string, Thread>();
const asked = new Map<number, (answer: Fields) => void>();
const allowed = new Set<string>();
const running = new Set<ChildProcess>();
let isInitialized = false;
let requests = 0;
let items = 0;

mkdirSync(folder, { recursive: true });
if (process.env.SCRIPTED_NOISE !== undefined) process.stdout.write(`${process.env.SCRIPTED_NOISE}\n`);
if (words.some((word) => word.includes('approval_policy="refused"'))) {
  process.stderr.write('Error: error loading config: unknown variant `refused` for approval_policy\n');
  process.exit(1);
}

const fileOf = (id: string): string => join(folder, `${id}.jsonl`);
const pieces = (said: string): string[] => said.match(/\S+\s*|\s+/g) ?? [];

function write(value: Fields): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

function remember(thread: Thread, said: string): void {
  thread.history.push(said);
  appendFileSync(fileOf(thread.id), `${said.replaceAll('\n', ' ')}\n`);
}

function openThread(given?: string): Thread | undefined {
  if (given !== undefined && !existsSync(fileOf(given))) return undefined;
  const id = given ?? randomUUID();
  if (given === undefined) writeFileSync(fileOf(id), '');
  const history = readFileSync(fileOf(id), 'utf8').split('\n').filter(Boolean);
  const values = { model: 'scripted', approvalPolicy: 'on-request', mode: 'default' };
  const thread: Thread = { id, history, values, turn: undefined, late: [] };
  threads.set(id, thread);
  return thread;
}

/** Notifications of one turn. */
function createVoice(thread: Thread, turn: Turn) {
  const about = { threadId: thread.id, turnId: turn.id };
  const tell = (method: string, params: Fields): void =>
    write({ method, params: { ...about, ...params }, emittedAtMs: 1 });
  const begin = (item: Fields): void => tell('item/started', { item });
  const complete = (item: Fields): void => tell('item/completed', { item });
  return { about, tell, begin, complete };
}

type Voice = ReturnType<typeof createVoice>;

async function say(voice: Voice, turn: Turn, parts: readonly string[], ms = 0): Promise<void> {
  const id = `msg_${items++}`;
  voice.begin({ type: 'agentMessage', id, text: '' });
  let said = '';
  for (const delta of parts) {
    if (turn.stop.signal.aborted) return;
    said += delta;
    voice.tell('item/agentMessage/delta', { itemId: id, delta });
    if (ms > 0) await sleep(ms, undefined, { signal: turn.stop.signal }).catch(() => {});
  }
  turn.last = said;
  voice.complete({ type: 'agentMessage', id, text: said });
}

/** Asks the host; the answer of an interrupted turn never comes. */
function ask(voice: Voice, turn: Turn, method: string, params: Fields): Promise<Fields> {
  const id = requests++;
  const { threadId } = voice.about;
  return new Promise((resolve) => {
    asked.set(id, (answer) => {
      write({ method: 'serverRequest/resolved', params: { threadId, requestId: id } });
      resolve(answer);
    });
    turn.stop.signal.addEventListener('abort', () => {
      if (asked.delete(id)) resolve({});
    });
    write({ id, method, params: { ...voice.about, ...params } });
  });
}

function runCommand(voice: Voice, turn: Turn, itemId: string, command: string): Promise<Fields> {
  return new Promise((resolve) => {
    // `detached` gives the command its own session, as the sandbox of Codex does.
    const child = spawn('sh', ['-c', command], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
    running.add(child);
    let output = '';
    child.stdout?.on('data', (piece) => {
      output += piece;
      voice.tell('item/commandExecution/outputDelta', { itemId, delta: String(piece) });
    });
    turn.stop.signal.addEventListener('abort', () => endGroup(child));
    child.on('close', (code) => {
      running.delete(child);
      resolve({ aggregatedOutput: output === '' ? null : output, exitCode: code ?? 1 });
    });
  });
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** Runs a command, after a question unless it is harmless; returns its output. */
async function useCommand(thread: Thread, voice: Voice, turn: Turn, command: string): Promise<string> {
  const id = `call_${items++}`;
  const actions = [{ type: 'unknown', command }];
  const item = { type: 'commandExecution', id, command: `/bin/bash -lc '${command}'`, cwd: process.cwd() };
  const known = { ...item, commandActions: actions, aggregatedOutput: null, exitCode: null };
  voice.begin({ ...known, status: 'inProgress' });
  const isFree =
    /^(echo|sleep) /.test(command) || thread.values.approvalPolicy === 'never' || allowed.has(command);
  const params = {
    itemId: id,
    command: item.command,
    cwd: item.cwd,
    commandActions: actions,
    reason: 'Need it',
    availableDecisions: ['accept', 'cancel'],
  };
  const { decision } = isFree
    ? { decision: 'accept' }
    : ((await ask(voice, turn, 'item/commandExecution/requestApproval', params)) as Fields);
  if (turn.stop.signal.aborted) return '';
  if (decision === 'acceptForSession') allowed.add(command);
  if (decision === 'accept' || decision === 'acceptForSession') {
    const result = await runCommand(voice, turn, id, command);
    if (turn.stop.signal.aborted) return '';
    voice.complete({ ...known, ...result, status: result.exitCode === 0 ? 'completed' : 'failed' });
    return String(result.aggregatedOutput ?? '');
  }
  voice.complete({ ...known, status: decision === undefined ? 'failed' : 'declined' });
  if (decision === 'cancel') turn.status = 'interrupted';
  if (decision === 'cancel') turn.stop.abort();
  return 'rejected by user';
}

async function changeFile(voice: Voice, turn: Turn, name: string): Promise<void> {
  const path = join(process.cwd(), name);
  const changes = [{ path, kind: { type: 'add' }, diff: 'hello\n' }];
  const item = { type: 'fileChange', id: `call_${items++}`, changes };
  voice.begin({ ...item, status: 'inProgress' });
  const params = { itemId: item.id, reason: null, grantRoot: null };
  const { decision } = await ask(voice, turn, 'item/fileChange/requestApproval', params);
  if (turn.stop.signal.aborted) return;
  const isAllowed = String(decision).startsWith('accept');
  if (isAllowed) writeFileSync(path, 'hello\n');
  voice.complete({ ...item, status: isAllowed ? 'completed' : 'declined' });
}

function fail(voice: Voice, turn: Turn, message: string, codexErrorInfo: unknown, willRetry = false): void {
  const error = { message, codexErrorInfo, additionalDetails: null };
  voice.tell('error', { error, willRetry });
  if (willRetry) return;
  turn.status = 'failed';
  turn.error = error;
}

async function act(thread: Thread, turn: Turn, given: string, voice: Voice): Promise<void> {
  const [word = '', ...rest] = given.split(' ');
  const argument = rest.join(' ');
  switch (word) {
    case 'think': {
      const id = `rs_${items++}`;
      voice.begin({ type: 'reasoning', id, summary: [], content: [] });
      for (const delta of ['I ', 'ponder.'])
        voice.tell('item/reasoning/summaryTextDelta', { itemId: id, delta, summaryIndex: 0 });
      voice.complete({ type: 'reasoning', id, summary: ['I ponder.'], content: [] });
      break;
    }
    case 'run': {
      const said = await useCommand(thread, voice, turn, argument);
      const steered = turn.steered.splice(0);
      if (turn.stop.signal.aborted) return;
      return say(voice, turn, pieces([`The tool said: ${said}`, ...steered].join('\n')));
    }
    case 'write':
      await changeFile(voice, turn, argument);
      break;
    case 'ask': {
      const options = [{ label: 'Tea', description: 'leaf' }, { label: 'Coffee' }];
      const questions = [{ id: 'drink', header: 'Drink', question: 'Tea or coffee?', options }];
      if (thread.values.mode !== 'plan') return say(voice, turn, ['request_user_input is unavailable']);
      const answer = await ask(voice, turn, 'item/tool/requestUserInput', { itemId: 'call', questions });
      return say(voice, turn, [JSON.stringify(answer.answers)]);
    }
    case 'slow':
      return say(voice, turn, Array<string>(200).fill('tick '), 20);
    case 'plan': {
      const plan = [
        { step: 'one', status: 'completed' },
        { step: 'two', status: 'inProgress' },
      ];
      voice.tell('turn/plan/updated', { plan });
      break;
    }
    case 'error':
      return fail(voice, turn, '{"error":{"message":"scripted 400"}}', 'other');
    case 'retry':
      fail(voice, turn, 'Reconnecting... 1/1', { responseStreamDisconnected: { httpStatusCode: 500 } }, true);
      return fail(voice, turn, 'high demand', 'internalServerError');
    case 'crash':
      process.kill(process.pid, 'SIGKILL');
      break;
    case 'big': {
      const item = { type: 'commandExecution', id: 'big', command: 'big', cwd: '/', commandActions: [] };
      voice.begin({ ...item, status: 'inProgress' });
      const aggregatedOutput = 'x'.repeat(10 * 1024 * 1024);
      voice.complete({ ...item, status: 'completed', aggregatedOutput, exitCode: 0 });
      break;
    }
    case 'json':
      return say(voice, turn, ['{"a":', '"b"}']);
    case 'history':
      return say(voice, turn, [thread.history.join('|')]);
    case 'odd': {
      const answer = await ask(voice, turn, 'item/tool/call', { tool: 'odd' });
      return say(voice, turn, [JSON.stringify(answer)]);
    }
    case 'raw':
      process.stdout.write(`${argument}\n`);
      break;
    default:
  }
  if (!turn.stop.signal.aborted && turn.status !== 'failed')
    await say(voice, turn, pieces(`You said: ${given}`));
}

async function runTurn(thread: Thread, turn: Turn, given: string): Promise<void> {
  thread.turn = turn;
  remember(thread, given);
  const threadId = thread.id;
  const about = { id: turn.id, items: [], error: null };
  write({ method: 'turn/started', params: { threadId, turn: { ...about, status: 'inProgress' } } });
  const voice = createVoice(thread, turn);
  const item = { type: 'userMessage', id: randomUUID(), content: [{ type: 'text', text: given }] };
  voice.begin(item);
  voice.complete(item);
  await act(thread, turn, given, voice);
  const last = { totalTokens: 15, inputTokens: 10, cachedInputTokens: 0, outputTokens: 5 };
  voice.tell('thread/tokenUsage/updated', {
    tokenUsage: { total: { ...last, totalTokens: items }, last, modelContextWindow: 1000 },
  });
  const status = turn.stop.signal.aborted ? 'interrupted' : turn.status;
  thread.turn = undefined;
  const ended = { ...about, status, error: turn.error, durationMs: 1 };
  write({ method: 'turn/completed', params: { threadId, turn: ended } });
  for (const id of thread.late.splice(0)) write({ id, result: {} });
}

const textOf = (input: unknown): string =>
  (input as Fields[]).map((item) => String(item.text ?? `[${item.type}]`)).join('\n');

const describeThread = ({ id, values }: Thread): Fields => ({
  thread: { id, sessionId: id, cwd: process.cwd(), name: null, turns: [] },
  ...values,
  sandbox: { type: 'readOnly', networkAccess: false },
  reasoningEffort: null,
});

const MODELS = ['scripted', 'other'].map((model) => ({
  model,
  displayName: model,
  supportedReasoningEfforts: [{ reasoningEffort: 'low' }, { reasoningEffort: 'high' }],
  defaultReasoningEffort: 'low',
}));

function startTurn(id: unknown, thread: Thread, params: Fields): void {
  const { model, effort, approvalPolicy, collaborationMode } = params;
  const mode = (collaborationMode as Fields | undefined)?.mode;
  const chosen = { model, effort, approvalPolicy, mode };
  const changes = Object.entries(chosen).filter(([, value]) => value !== undefined);
  thread.values = { ...thread.values, ...Object.fromEntries(changes) };
  const turn: Turn = {
    id: randomUUID(),
    stop: new AbortController(),
    steered: [],
    status: 'completed',
    error: null,
    last: '',
  };
  write({ id, result: { turn: { id: turn.id, items: [], status: 'inProgress', error: null } } });
  void runTurn(thread, turn, textOf(params.input));
}

function takeRequest(id: unknown, method: unknown, params: Fields): void {
  const refuse = (message: string): void => write({ id, error: { code: -32600, message } });
  if (!isInitialized && method !== 'initialize') return refuse('Not initialized');
  const thread = threads.get(String(params.threadId));
  switch (method) {
    case 'initialize':
      isInitialized = true;
      return write({ id, result: { userAgent: 'plugboard/0.166.0 (scripted)', codexHome: folder } });
    case 'model/list':
      return write({ id, result: { data: MODELS, nextCursor: null } });
    case 'thread/loaded/list':
      return write({ id, result: { data: [...threads.keys()] } });
    case 'thread/start':
    case 'thread/resume': {
      const opened = openThread(method === 'thread/start' ? undefined : String(params.threadId));
      if (opened === undefined) return refuse(`no rollout found for thread id ${params.threadId}`);
      if (params.approvalPolicy === 'refused') return refuse('unknown variant `refused`');
      return write({ id, result: describeThread(opened) });
    }
    case 'turn/start':
      return thread === undefined ? refuse('thread not found') : startTurn(id, thread, params);
    case 'turn/steer':
      if (thread?.turn === undefined) return refuse('no active turn to steer');
      if (thread.turn.id !== params.expectedTurnId) return refuse('expected active turn id');
      thread.turn.steered.push(textOf(params.input));
      remember(thread, textOf(params.input));
      return write({ id, result: { turnId: thread.turn.id } });
    case 'turn/interrupt':
      if (thread?.turn?.id !== params.turnId) return void thread?.late.push(id);
      write({ id, result: {} });
      return thread?.turn?.stop.abort();
    default:
      return refuse(`Invalid request: unknown variant \`${method}\``);
  }
}

function takeLine(line: string): void {
  let value: Fields;
  try {
    value = JSON.parse(line) as Fields;
  } catch {
    process.stderr.write('A line could not be read.\n');
    return;
  }
  const { id, method, params, result, error } = value;
  if (method !== undefined && id !== undefined) return takeRequest(id, method, (params ?? {}) as Fields);
  if (method !== undefined) return;
  const answer = asked.get(id as number);
  asked.delete(id as number);
  answer?.(error === undefined ? (result as Fields) : { error });
}

function leave(code: number): void {
  for (const child of running) endGroup(child);
  process.exit(code);
}

function serve(): void {
  process.on('SIGTERM', () => leave(0));
  createInterface({ input: process.stdin })
    .on('line', takeLine)
    // The real program stays for up to 5 s.
    .on('close', () => setTimeout(leave, Number(process.env.SCRIPTED_LINGER_MS ?? 1_500), 0));
}

/** `codex exec --json`: one turn, without questions. */
async function execute(): Promise<void> {
  const at = words.indexOf('resume');
  const known = at === -1 ? undefined : words.at(-2);
  const thread = openThread(known);
  if (thread === undefined) {
    process.stderr.write(`Error: no rollout found for thread id ${known}\n`);
    process.exit(1);
  }
  const given = (await text(process.stdin)).trim();
  remember(thread, given);
  write({ type: 'thread.started', thread_id: thread.id });
  const tell = (item: Fields): void =>
    write({ type: 'item.completed', item: { id: `item_${items++}`, ...item } });
  tell({ type: 'error', message: 'Model metadata was not found.' });
  write({ type: 'turn.started' });
  if (given.startsWith('error')) {
    const message = '{"error":{"message":"scripted 400"}}';
    write({ type: 'error', message });
    write({ type: 'turn.failed', error: { message } });
    process.exit(1);
  }
  tell({
    type: 'agent_message',
    text: given === 'history' ? thread.history.join('|') : `You said: ${given}`,
  });
  write({ type: 'turn.completed', usage: { input_tokens: 10, output_tokens: 5 } });
  await sleep(Number(process.env.SCRIPTED_LINGER_MS ?? 1_500));
  process.exit(0);
}

if (words.includes('app-server')) serve();
else if (words.includes('exec')) await execute();
else {
  process.stderr.write('error: a subcommand is missing\n');
  process.exit(2);
}
