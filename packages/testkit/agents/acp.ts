import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

/*
 * An agent of the Agent Client Protocol, version 1, without a model. The first word of a message says what happens:
 * `think`, `run CMD`, `write FILE`, `ask me`, `slow`, `deaf`, `todo`, `title`, `late`, `error`, `stop REASON`, `crash`,
 * `big`, `history`, `raw JSON`. Anything else is repeated. Sessions are files in SCRIPTED_SESSIONS. SCRIPTED_CAN lists
 * capabilities: load, resume, list, close, steer, image, http.
 */

type Fields = Record<string, unknown>;

interface Session {
  readonly id: string;
  readonly cwd: string;
  readonly history: string[];
  mode: string;
  model: string;
  running: AbortController | undefined;
  /** Steering for the running turn. */
  readonly injected: string[];
}

class RpcFailure extends Error {
  readonly code: number;
  readonly data: unknown;
  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

const env = process.env;
const folder = env.SCRIPTED_SESSIONS ?? process.cwd();
const can = (env.SCRIPTED_CAN ?? 'resume').split(',');
const sessions = new Map<string, Session>();
const open = new Map<number, (answer: Fields) => void>();
let calls = 0;
let messages = 0;
let isInitialized = false;
let isLoggedIn = env.SCRIPTED_LOGIN === undefined;

if (env.SCRIPTED_NOISE !== undefined) process.stdout.write(`${env.SCRIPTED_NOISE}\n`);
mkdirSync(folder, { recursive: true });
await sleep(Number(env.SCRIPTED_START_MS ?? 0));

function write(fields: Fields): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...fields })}\n`);
}

function update(session: Session, sessionUpdate: string, fields: Fields): void {
  write({
    method: 'session/update',
    params: { sessionId: session.id, update: { sessionUpdate, ...fields } },
  });
}

/** A request to the host. When the turn is cancelled it is taken back, as some agents do. */
function call(method: string, params: Fields, signal: AbortSignal): Promise<Fields> {
  const id = calls++;
  return new Promise((resolve) => {
    open.set(id, resolve);
    signal.addEventListener('abort', () => {
      if (open.has(id)) write({ method: '$/cancel_request', params: { requestId: id } });
    });
    write({ id, method, params });
  });
}

const pieces = (text: string): string[] => text.match(/\S+\s*|\s+/g) ?? [];

async function say(session: Session, kind: string, parts: readonly string[], signal: AbortSignal, ms = 0) {
  const messageId = `m${++messages}`;
  for (const text of parts) {
    if (signal.aborted) return;
    update(session, `agent_${kind}_chunk`, { content: { type: 'text', text }, messageId });
    if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => {});
  }
}

const OPTIONS = [
  { optionId: 'always', name: 'Always', kind: 'allow_always' },
  { optionId: 'once', name: 'Allow', kind: 'allow_once' },
  { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
];

/** Calls a tool, and asks for it where the mode says so. */
async function useTool(
  session: Session,
  tool: {
    readonly kind: string;
    readonly title: string;
    readonly rawInput: Fields;
    readonly content?: Fields[];
  },
  signal: AbortSignal,
  perform: () => Promise<string>,
  needsAnswer = true,
): Promise<string> {
  const toolCallId = `call_${randomUUID().slice(0, 8)}`;
  update(session, 'tool_call', {
    toolCallId,
    title: 'Tool',
    kind: tool.kind,
    status: 'pending',
    rawInput: {},
  });
  update(session, 'tool_call_update', { toolCallId, ...tool });
  let isAllowed = true;
  if (needsAnswer && session.mode !== 'all') {
    const toolCall = { toolCallId, status: 'pending', ...tool };
    const params = { sessionId: session.id, toolCall, options: OPTIONS };
    const { outcome } = await call('session/request_permission', params, signal);
    const { optionId } = (outcome ?? {}) as Fields;
    isAllowed = optionId === 'once' || optionId === 'always';
  }
  if (isAllowed) update(session, 'tool_call_update', { toolCallId, status: 'in_progress' });
  const text = isAllowed ? await perform() : 'refused';
  const content = tool.content ?? [{ type: 'content', content: { type: 'text', text } }];
  const status = isAllowed && !signal.aborted ? 'completed' : 'failed';
  update(session, 'tool_call_update', { toolCallId, status, content, rawOutput: text });
  return text;
}

/** Runs a command in a process group of its own, as real agents do. */
function runCommand(command: string, cwd: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', command], { cwd, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
    let stdout = '';
    child.stdout.on('data', (piece) => {
      stdout += piece;
    });
    signal.addEventListener('abort', () => process.kill(-(child.pid ?? 0), 'SIGKILL'));
    child.on('close', () => resolve(stdout));
  });
}

/** Carries out a message. Gives the stop reason. */
async function answer(session: Session, text: string, signal: AbortSignal): Promise<string> {
  const [word = '', ...rest] = text.split(' ');
  const argument = rest.join(' ');
  switch (word) {
    case 'think':
      await say(session, 'thought', ['I ', 'ponder.'], signal);
      break;
    case 'run': {
      const tool = { kind: 'execute', title: argument, rawInput: { command: argument } };
      const isHarmless = argument.startsWith('echo ') || argument.startsWith('sleep ');
      const said = await useTool(
        session,
        tool,
        signal,
        () => runCommand(argument, session.cwd, signal),
        !isHarmless,
      );
      await say(session, 'message', pieces(`The tool said: ${said}`), signal);
      return 'end_turn';
    }
    case 'write': {
      const path = join(session.cwd, argument);
      const diff = { type: 'diff', path, oldText: null, newText: 'hello\n' };
      const tool = { kind: 'edit', title: `Write ${argument}`, rawInput: { path }, content: [diff] };
      await useTool(session, tool, signal, async () => {
        writeFileSync(path, 'hello\n');
        return 'written';
      });
      break;
    }
    case 'ask': {
      const oneOf = [
        { const: 'tea', title: 'Tea' },
        { const: 'coffee', title: 'Coffee' },
      ];
      const requestedSchema = { type: 'object', properties: { drink: { type: 'string', oneOf } } };
      const params = { sessionId: session.id, mode: 'form', message: 'Tea or coffee?', requestedSchema };
      const said = await call('elicitation/create', params, signal);
      await say(session, 'message', [JSON.stringify(said)], signal);
      return 'end_turn';
    }
    case 'slow':
      await say(session, 'message', Array<string>(200).fill('tick '), signal, 20);
      return 'end_turn';
    case 'deaf':
      await say(session, 'message', ['I hear nothing.'], signal);
      await new Promise(() => {});
      break;
    case 'todo':
      update(session, 'plan', {
        entries: [
          { content: 'one', priority: 'high', status: 'completed' },
          { content: 'two', priority: 'low', status: 'in_progress' },
        ],
      });
      break;
    case 'title':
      update(session, 'session_info_update', { title: argument });
      break;
    case 'error':
      throw new RpcFailure(-32603, 'Internal error', { details: 'scripted failure' });
    case 'stop':
      return argument;
    case 'crash':
      process.kill(process.pid, 'SIGKILL');
      break;
    case 'big': {
      const tool = { kind: 'read', title: 'Read big', rawInput: { path: 'big' } };
      await useTool(session, tool, signal, async () => 'x'.repeat(10 * 1024 * 1024), false);
      break;
    }
    case 'history':
      await say(session, 'message', [session.history.join('|')], signal);
      return 'end_turn';
    case 'raw':
      process.stdout.write(`${argument}\n`);
      break;
    default:
  }
  await say(session, 'message', pieces(`You said: ${text}`), signal);
  return 'end_turn';
}

function promptText(params: Fields): string {
  const blocks = (params.prompt ?? []) as Fields[];
  return blocks.map((block) => String(block.text ?? `[${block.type}]`)).join('\n');
}

async function prompt(params: Fields): Promise<Fields> {
  const session = sessionOf(params);
  const text = promptText(params);
  if (session.running !== undefined) throw new RpcFailure(-32600, 'A turn is running.');
  const running = new AbortController();
  session.running = running;
  session.history.push(text);
  save(session);
  try {
    let stopReason = await answer(session, text, running.signal);
    for (let more = session.injected.shift(); more !== undefined; more = session.injected.shift())
      stopReason = await answer(session, more, running.signal);
    update(session, 'usage_update', {
      used: 10,
      size: 1000,
      cost: { amount: session.history.length, currency: 'USD' },
    });
    const usage = { totalTokens: 15, inputTokens: 10, outputTokens: 5 };
    return { stopReason: running.signal.aborted ? 'cancelled' : stopReason, usage };
  } finally {
    session.running = undefined;
  }
}

function fileOf(id: string): string {
  return join(folder, `${id}.json`);
}

function save({ id, cwd, history }: Session): void {
  writeFileSync(fileOf(id), JSON.stringify({ cwd, history, updatedAt: new Date().toISOString() }));
}

function sessionOf({ sessionId }: Fields): Session {
  const session = sessions.get(String(sessionId));
  if (session === undefined) throw new RpcFailure(-32002, `Session not found: ${sessionId}`);
  return session;
}

function begin(id: string, cwd: unknown, history: readonly string[]): Session {
  const session: Session = {
    id,
    cwd: String(cwd),
    history: [...history],
    mode: 'ask',
    model: 'large',
    running: undefined,
    injected: [],
  };
  sessions.set(id, session);
  save(session);
  return session;
}

function reopen({ sessionId, cwd }: Fields): Session {
  const path = fileOf(String(sessionId));
  if (!existsSync(path)) throw new RpcFailure(-32002, `Session not found: ${sessionId}`);
  const { history } = JSON.parse(readFileSync(path, 'utf8')) as { history: string[] };
  return begin(String(sessionId), cwd, history);
}

function offer({ mode, model }: Session): Fields {
  return {
    modes: {
      currentModeId: mode,
      availableModes: [
        { id: 'ask', name: 'Ask' },
        { id: 'all', name: 'Allow all' },
      ],
    },
    configOptions: [
      {
        id: 'model',
        name: 'Model',
        category: 'model',
        type: 'select',
        currentValue: model,
        options: [
          { value: 'large', name: 'Large' },
          { value: 'small', name: 'Small' },
        ],
      },
    ],
  };
}

const METHODS: Record<string, (params: Fields) => Promise<unknown> | unknown> = {
  initialize() {
    isInitialized = true;
    const marks = (names: string[]) =>
      Object.fromEntries(names.filter((name) => can.includes(name)).map((name) => [name, {}]));
    return {
      protocolVersion: Number(env.SCRIPTED_VERSION ?? 1),
      agentInfo: { name: 'scripted', title: 'Scripted agent', version: '1.2.3' },
      agentCapabilities: {
        loadSession: can.includes('load'),
        promptCapabilities: { image: can.includes('image') },
        mcpCapabilities: { http: can.includes('http') },
        sessionCapabilities: marks(['resume', 'list', 'close']),
      },
      authMethods: env.SCRIPTED_LOGIN === undefined ? [] : [{ id: env.SCRIPTED_LOGIN, name: 'A key' }],
      ...(can.includes('steer') ? { _meta: { steering: { supported: true } } } : {}),
    };
  },
  authenticate({ methodId }) {
    if (methodId !== env.SCRIPTED_LOGIN) throw new RpcFailure(-32602, 'No such login.');
    isLoggedIn = true;
    return {};
  },
  'session/new'({ cwd }) {
    if (!isLoggedIn) throw new RpcFailure(-32000, 'Authentication required');
    if (!existsSync(String(cwd))) throw new RpcFailure(-32602, `No such directory: ${cwd}`);
    const session = begin(randomUUID(), cwd, []);
    return { sessionId: session.id, ...offer(session) };
  },
  'session/load'(params) {
    const session = reopen(params);
    for (const text of session.history) {
      update(session, 'user_message_chunk', { content: { type: 'text', text } });
      update(session, 'agent_message_chunk', { content: { type: 'text', text: `You said: ${text}` } });
    }
    return offer(session);
  },
  'session/resume': (params) => offer(reopen(params)),
  'session/list'({ cwd }) {
    const all = readdirSync(folder).filter((name) => name.endsWith('.json'));
    const listed = all.map((name) => ({
      sessionId: name.slice(0, -'.json'.length),
      ...(JSON.parse(readFileSync(join(folder, name), 'utf8')) as { cwd: string; updatedAt: string }),
    }));
    return { sessions: listed.filter((one) => cwd === undefined || one.cwd === cwd) };
  },
  'session/close'(params) {
    sessionOf(params).running?.abort();
    sessions.delete(String(params.sessionId));
    return {};
  },
  'session/set_mode'(params) {
    const session = sessionOf(params);
    if (params.modeId !== 'ask' && params.modeId !== 'all') throw new RpcFailure(-32602, 'No such mode.');
    session.mode = params.modeId;
    return {};
  },
  'session/set_config_option'(params) {
    const session = sessionOf(params);
    session.model = String(params.value);
    return { configOptions: offer(session).configOptions };
  },
  'session/prompt': prompt,
  '_session/steering'(params) {
    const { running, injected } = sessionOf(params);
    if (running === undefined) return { outcome: 'promptRequired', reason: 'noRunningTurn' };
    injected.push(promptText(params));
    return { outcome: 'injected' };
  },
};

async function takeRequest(id: unknown, method: string, params: Fields): Promise<void> {
  try {
    const carryOut = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
    if (!isInitialized && method !== 'initialize') throw new RpcFailure(-32600, 'Not initialized.');
    if (carryOut === undefined) throw new RpcFailure(-32601, `Method not found: ${method}`);
    const result = await carryOut(params);
    write({ id, result });
    if (promptText(params).startsWith('late') && method === 'session/prompt')
      update(sessionOf(params), 'agent_message_chunk', { content: { type: 'text', text: ' (late)' } });
  } catch (error) {
    const { code, message, data } =
      error instanceof RpcFailure ? error : new RpcFailure(-32603, String(error));
    write({ id, error: { code, message, data } });
  }
}

function takeLine(line: string): void {
  if (line.trim() === '') return;
  const { id, method, params, result } = JSON.parse(line) as Fields;
  if (typeof method !== 'string') {
    open.get(Number(id))?.((result ?? {}) as Fields);
    open.delete(Number(id));
  } else if (id !== undefined) void takeRequest(id, method, (params ?? {}) as Fields);
  else if (method === 'session/cancel') {
    const { running } = sessionOf(params as Fields);
    running?.abort();
  }
}

createInterface({ input: process.stdin })
  .on('line', takeLine)
  .on('close', () => process.exit(0));
