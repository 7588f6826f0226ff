import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

/*
 * Speaks stream-json and its control protocol as the real program does, without a model. The first word of a message says
 * what happens: `think`, `run CMD`, `write FILE`, `ask me`, `ask more`, `slow`, `todo`, `background CMD`, `error`, `retry`,
 * `crash`, `big`, `history`, `raw JSON`. Anything else is repeated. Sessions are files in SCRIPTED_SESSIONS.
 */

type Fields = Record<string, unknown>;

const flags = process.argv.slice(2);
const flagValue = (name: string): string | undefined =>
  flags.includes(name) ? flags[flags.indexOf(name) + 1] : undefined;
const folder = process.env.SCRIPTED_SESSIONS ?? process.cwd();
const resumed = flagValue('--resume');
const session = resumed !== undefined && !flags.includes('--fork-session') ? resumed : randomUUID();
const history: string[] = [];
/** Lines that wait for a turn. */
const queue: { readonly text: string; readonly uuid: string | undefined }[] = [];
const asked = new Map<string, (answer: Fields) => void>();
const seen = new Set<string>();
let mode = flagValue('--permission-mode') ?? 'default';
let model = flagValue('--model') ?? 'scripted-model';
let running: AbortController | undefined;
let inputEnded = false;
let lastFailed = false;
let results = 0;
let messages = 0;
let cost = 0;

if (process.env.SCRIPTED_NOISE !== undefined) process.stdout.write(`${process.env.SCRIPTED_NOISE}\n`);
if (flags.includes('--dangerously-skip-permissions')) {
  process.stderr.write('--dangerously-skip-permissions cannot be used with root/sudo privileges\n');
  process.exit(1);
}
mkdirSync(folder, { recursive: true });
if (resumed !== undefined) {
  if (!existsSync(fileOf(resumed))) {
    const error = `No conversation found with session ID: ${resumed}`;
    write({ type: 'result', subtype: 'error_during_execution', is_error: true, errors: [error] }, resumed);
    process.exit(1);
  }
  history.push(...readFileSync(fileOf(resumed), 'utf8').split('\n').filter(Boolean));
}
// The real program takes this long as well before it reads its input.
await sleep(Number(process.env.SCRIPTED_START_MS ?? 0));

function fileOf(id: string): string {
  return join(folder, `${id}.jsonl`);
}

function write(value: Fields, id = session): void {
  process.stdout.write(`${JSON.stringify({ ...value, session_id: id, uuid: randomUUID() })}\n`);
}

function respond(id: unknown, response: Fields): void {
  const answer = { type: 'control_response', response: { request_id: id, ...response } };
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

function tellFate(uuid: string | undefined, state: string): void {
  if (uuid !== undefined) write({ type: 'command_lifecycle', command_uuid: uuid, state });
}

function sayBlock(block: Fields, more: Fields = {}): void {
  const message = { id: `msg_${messages}`, role: 'assistant', model, content: [block] };
  write({ type: 'assistant', message, parent_tool_use_id: null, ...more });
}

function stream(event: Fields): void {
  write({ type: 'stream_event', event, parent_tool_use_id: null });
}

/** Streams a block in pieces, then says it. */
async function say(
  kind: 'text' | 'thinking',
  pieces: readonly string[],
  signal: AbortSignal,
  ms = 0,
): Promise<void> {
  messages += 1;
  stream({ type: 'content_block_start', index: 0, content_block: { type: kind, [kind]: '' } });
  let said = '';
  for (const piece of pieces) {
    if (signal.aborted) break;
    said += piece;
    stream({ type: 'content_block_delta', index: 0, delta: { type: `${kind}_delta`, [kind]: piece } });
    if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => {});
  }
  sayBlock({ type: kind, [kind]: said }, signal.aborted ? { aborted: true } : {});
  stream({ type: 'content_block_stop', index: 0 });
}

function ask(request: Fields, signal: AbortSignal): Promise<Fields> {
  const id = randomUUID();
  return new Promise((resolve) => {
    asked.set(id, resolve);
    signal.addEventListener('abort', () => {
      if (!asked.delete(id)) return;
      write({ type: 'control_cancel_request', request_id: id });
      resolve({ behavior: 'deny', message: 'aborted' });
    });
    const line = {
      type: 'control_request',
      request_id: id,
      request: { subtype: 'can_use_tool', ...request },
    };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  });
}

/** Calls a tool; `perform` gets the input that was allowed. */
async function useTool(
  name: string,
  input: Fields,
  signal: AbortSignal,
  perform: (input: Fields) => Promise<{ text: string; details?: Fields }>,
  needsAnswer = true,
): Promise<string> {
  const id = `toolu_${randomUUID().slice(0, 8)}`;
  messages += 1;
  sayBlock({ type: 'tool_use', id, name, input });
  const suggestions = [
    {
      type: 'addRules',
      rules: [{ toolName: name, ruleContent: String(input.command ?? '') }],
      behavior: 'allow',
      destination: 'localSettings',
    },
    { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
  ];
  const isFree = !needsAnswer || mode === 'acceptEdits';
  const answer = isFree
    ? { behavior: 'allow', updatedInput: input }
    : await ask({ tool_name: name, input, tool_use_id: id, permission_suggestions: suggestions }, signal);
  const isAllowed = answer.behavior === 'allow';
  const done = isAllowed
    ? await perform((answer.updatedInput as Fields | undefined) ?? input)
    : { text: String(answer.message) };
  const content = [{ type: 'tool_result', tool_use_id: id, content: done.text, is_error: !isAllowed }];
  write({
    type: 'user',
    message: { role: 'user', content },
    parent_tool_use_id: null,
    ...('details' in done ? { tool_use_result: done.details } : {}),
  });
  if (answer.interrupt === true) running?.abort();
  foldQueue();
  return done.text;
}

/** After a tool, waiting lines become part of the turn. */
function foldQueue(): void {
  for (const { text, uuid } of queue.splice(0)) {
    remember(text);
    tellFate(uuid, 'started');
  }
}

function remember(text: string): void {
  history.push(text);
  appendFileSync(fileOf(session), `${text.replaceAll('\n', ' ')}\n`);
}

/** Runs a command in a process group of its own, as the real program does. */
function runCommand(command: string, signal: AbortSignal): Promise<{ text: string; details: Fields }> {
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', command], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
    let stdout = '';
    child.stdout.on('data', (piece) => {
      stdout += piece;
    });
    signal.addEventListener('abort', () => process.kill(-(child.pid ?? 0), 'SIGKILL'));
    process.once('SIGTERM', () => process.kill(-(child.pid ?? 0), 'SIGKILL'));
    child.on('close', () => resolve({ text: stdout, details: { stdout, stderr: '' } }));
  });
}

const pieces = (text: string): string[] => text.match(/\S+\s*|\s+/g) ?? [];

type Ended = Fields & { readonly is_error: boolean };

const success = (result: string): Ended => ({ subtype: 'success', is_error: false, result });

async function answer(text: string, signal: AbortSignal): Promise<Ended> {
  const [word = '', ...rest] = text.split(' ');
  const argument = rest.join(' ');
  switch (word) {
    case 'think':
      await say('thinking', ['I ', 'ponder.'], signal);
      break;
    case 'run': {
      const input = { command: argument, description: 'run it' };
      const isHarmless = argument.startsWith('echo ') || argument.startsWith('sleep ');
      const act = (allowed: Fields) => runCommand(String(allowed.command), signal);
      return sayLast(`The tool said: ${await useTool('Bash', input, signal, act, !isHarmless)}`, signal);
    }
    case 'write': {
      const input = { file_path: join(process.cwd(), argument), content: 'hello\n' };
      const details = {
        type: 'create',
        filePath: input.file_path,
        content: input.content,
        structuredPatch: [],
      };
      await useTool('Write', input, signal, async () => ({ text: 'File created', details }));
      break;
    }
    case 'ask': {
      const options = [{ label: 'Tea', description: 'leaf' }, { label: 'Coffee' }];
      const one = { question: 'Tea or coffee?', header: 'Drink', options, multiSelect: false };
      const two = { question: 'Which cakes?', header: 'Cake', options, multiSelect: true };
      const input = { questions: argument === 'more' ? [one, two] : [one] };
      const said = await useTool('AskUserQuestion', input, signal, async ({ answers }) => ({
        text: answers === undefined ? 'The user did not answer.' : JSON.stringify(answers),
      }));
      return sayLast(said, signal);
    }
    case 'slow':
      await say('text', Array<string>(200).fill('tick '), signal, 20);
      return success('tick');
    case 'todo': {
      const todos = [
        { content: 'one', status: 'completed' },
        { content: 'two', status: 'in_progress' },
      ];
      await useTool('TodoWrite', { todos }, signal, async () => ({ text: 'Todos changed' }), false);
      break;
    }
    case 'background': {
      const task = { task_id: 'b1', task_type: 'local_bash', description: argument };
      write({ type: 'system', subtype: 'task_started', ...task, is_backgrounded: true });
      void sleep(300).then(() =>
        write({ type: 'system', subtype: 'task_notification', task_id: 'b1', status: 'completed' }),
      );
      break;
    }
    case 'retry':
      write({
        type: 'system',
        subtype: 'api_retry',
        attempt: 1,
        max_retries: 2,
        retry_delay_ms: 500,
        error_status: 500,
        error: 'server_error',
      });
      return fail('API Error: 500 scripted 500');
    case 'error':
      return fail('API Error: 400 scripted 400');
    case 'crash':
      process.kill(process.pid, 'SIGKILL');
      break;
    case 'big':
      await useTool(
        'Read',
        { file_path: 'big' },
        signal,
        async () => ({ text: 'x'.repeat(10 * 1024 * 1024) }),
        false,
      );
      break;
    case 'history':
      return sayLast(history.join('|'), signal);
    case 'raw':
      process.stdout.write(`${argument}\n`);
      break;
    default:
  }
  return sayLast(`You said: ${text}`, signal);
}

async function sayLast(text: string, signal: AbortSignal): Promise<Ended> {
  await say('text', pieces(text), signal);
  return success(text);
}

function fail(words: string): Ended {
  const content = [{ type: 'text', text: words }];
  const message = { role: 'assistant', model: '<synthetic>', content };
  write({ type: 'assistant', message, parent_tool_use_id: null, is_api_error_message: true });
  return {
    subtype: 'success',
    is_error: true,
    terminal_reason: 'api_error',
    api_error_type: 'api_error',
    result: words,
  };
}

async function runTurns(): Promise<void> {
  while (queue.length > 0) {
    const batch = queue.splice(0);
    for (const { uuid } of batch) tellFate(uuid, 'started');
    const uuids = batch.flatMap(({ uuid }) => uuid ?? []);
    const text = batch.map((line) => line.text).join('\n');
    running = new AbortController();
    write({
      type: 'system',
      subtype: 'init',
      cwd: process.cwd(),
      tools: ['Bash', 'Write', 'AskUserQuestion'],
      mcp_servers: [],
      model,
      permissionMode: mode,
      claude_code_version: '2.1.325',
      user_message_uuids: uuids,
    });
    remember(text);
    const { signal } = running;
    const ended = await answer(text, signal);
    lastFailed = signal.aborted || ended.is_error;
    if (!ended.is_error) cost += 0.001;
    const aborted = {
      subtype: 'error_during_execution',
      is_error: true,
      terminal_reason: 'aborted_streaming',
    };
    write({
      ...(signal.aborted ? { ...aborted, errors: ['[ede_diagnostic] stopped'] } : ended),
      usage: { input_tokens: 10, output_tokens: 5 },
      total_cost_usd: cost,
      duration_ms: 1,
      result_index: results++,
      type: 'result',
    });
    for (const uuid of uuids) tellFate(uuid, signal.aborted ? 'cancelled' : 'completed');
    running = undefined;
  }
  if (inputEnded) process.exit(lastFailed ? 1 : 0);
}

function takeRequest(id: unknown, request: Fields): void {
  const succeed = (response: Fields): void => respond(id, { subtype: 'success', response });
  switch (request.subtype) {
    case 'initialize':
      return succeed({
        commands: [{ name: 'compact', description: 'Make room', argumentHint: '' }],
        models: [
          { value: 'default', displayName: 'Default' },
          { value: 'small', displayName: 'Small' },
        ],
        current_permission_mode: mode,
        claude_code_version: '2.1.325',
      });
    case 'interrupt': {
      const dropped = request.cancel_queued === true ? queue.splice(0) : [];
      for (const { uuid } of dropped) tellFate(uuid, 'cancelled');
      succeed({ still_queued: queue.map(({ uuid }) => uuid), cancelled: dropped.map(({ uuid }) => uuid) });
      return running?.abort();
    }
    case 'cancel_async_message': {
      const at = queue.findIndex(({ uuid }) => uuid === request.message_uuid);
      if (at !== -1) queue.splice(at, 1);
      if (at !== -1) tellFate(String(request.message_uuid), 'cancelled');
      return succeed({ cancelled: at !== -1 });
    }
    case 'set_permission_mode':
      if (request.mode === 'bypassPermissions')
        return respond(id, { subtype: 'error', error: 'bypass was not launched' });
      mode = String(request.mode);
      succeed({ mode });
      return write({ type: 'system', subtype: 'status', status: null, permissionMode: mode });
    case 'set_model':
      model = String(request.model);
      return succeed({ model });
    case 'mcp_set_servers':
    case 'mcp_status':
      return succeed({ mcpServers: [] });
    default:
      return respond(id, { subtype: 'error', error: 'unsupported' });
  }
}

function takeUser({ message, uuid }: Fields): void {
  const { role, content } = (message ?? {}) as Fields;
  if (role !== 'user') {
    process.stderr.write(`Expected message role 'user'\n`);
    process.exit(1);
  }
  const blocks = Array.isArray(content) ? content : [{ text: content }];
  const text = blocks.map((block: Fields) => String(block.text ?? `[${block.type}]`)).join('\n');
  // A line whose uuid the session has already is skipped, as the real program does.
  if (typeof uuid === 'string' && seen.has(uuid)) return;
  if (typeof uuid === 'string') seen.add(uuid);
  tellFate(uuid as string | undefined, 'queued');
  queue.push({ text, uuid: uuid as string | undefined });
  if (running === undefined) void runTurns();
}

function takeLine(line: string): void {
  if (line.trim() === '') return;
  let value: Fields;
  try {
    value = JSON.parse(line) as Fields;
  } catch {
    process.stderr.write('Error parsing streaming input line\n');
    process.exit(1);
  }
  if (value.type === 'user') takeUser(value);
  else if (value.type === 'control_request') takeRequest(value.request_id, value.request as Fields);
  else if (value.type === 'control_response') {
    const { request_id: id, subtype, response, error } = value.response as Fields;
    const resolve = asked.get(String(id));
    asked.delete(String(id));
    resolve?.(subtype === 'success' ? (response as Fields) : { behavior: 'deny', message: String(error) });
  }
}

process.on('SIGTERM', () => process.exit(143));
createInterface({ input: process.stdin })
  .on('line', takeLine)
  .on('close', () => {
    inputEnded = true;
    for (const [id, resolve] of asked) {
      asked.delete(id);
      resolve({ behavior: 'deny', message: 'Tool permission stream closed before response received' });
    }
    if (running === undefined) process.exit(lastFailed ? 1 : 0);
  });
