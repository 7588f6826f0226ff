import {
  type Answer,
  type CommonSettings,
  type End,
  type Event,
  type Exit,
  eventsOf,
  faultEvent,
  type HostEffect,
  type HostInput,
  type HostSide,
  isObject,
  type JsonObject,
  type Probe,
  type Question,
  type Turn,
} from '@plugboard/protocol';
import {
  BUSY,
  errorResponse,
  type Id,
  NO_METHOD,
  notification,
  readLine,
  request,
  result,
  stringOf,
} from './wire.ts';

/** A turn from `send` to its end. */
interface Prompt {
  readonly turn: Turn;
  /** The id of its request, once that is written. */
  call: number | undefined;
  given: boolean;
  taken: boolean;
  /** The agent was busy when it was sent: it is sent again after the running one. */
  refused: boolean;
  lastText: string;
}

interface Session {
  /** Undefined until the agent has opened it. */
  id: string | undefined;
}

/** What a response is to. */
type Call =
  | { readonly type: 'initialize' }
  | { readonly type: 'open'; readonly key: string }
  | { readonly type: 'prompt'; readonly prompt: Prompt }
  | { readonly type: 'ping'; readonly probe: Probe };

interface OpenAsk {
  readonly rpcId: Id;
  readonly turnId: string;
  readonly question: Question;
}

export interface ScratchHostState {
  calls: number;
  phase: 'new' | 'greeting' | 'ready' | 'failed' | 'ended';
  readonly open: Map<Id, Call>;
  /** By `Turn.session.key`. */
  readonly sessions: Map<string, Session>;
  /** By turn id, in the order in which they were sent. */
  readonly prompts: Map<string, Prompt>;
  readonly asks: Map<string, OpenAsk>;
  /** A turn has ended: a new process may succeed as well. */
  proven: boolean;
}

/** How long the agent may take to answer `initialize`. */
const HELLO_MS = 10_000;

export const scratchHost: HostSide<CommonSettings, ScratchHostState> = {
  process: 'per-session',
  lineBytes: 8 * 1024 * 1024,
  launch: ({ command, env, cwd }) => ({ command, env, ...(cwd === undefined ? {} : { cwd }) }),
  prewarmProblem: () => 'it is one process that stays',
  initial: () => ({
    calls: 0,
    phase: 'new',
    open: new Map(),
    sessions: new Map(),
    prompts: new Map(),
    asks: new Map(),
    proven: false,
  }),
  currentTurn: ({ prompts }) => prompts.keys().next().value,
  step(state, input, out) {
    if (state.phase === 'ended') return late(input, out);
    switch (input.type) {
      case 'line':
        return takeLine(state, input.text, input.truncated === true, out);
      case 'started':
        return greet(state, out);
      case 'send':
        return send(state, input.turn, out);
      case 'interrupt':
        return interrupt(state, input.turnId, out);
      case 'answer':
        return answer(state, input.askId, input.answer, out);
      case 'probe':
        return call(state, { type: 'ping', probe: input.probe }, 'ping', {}, out);
      case 'timer':
        return fail(state, 'The agent has not answered the handshake.', out);
      case 'exit':
        return exit(state, input.exit, out);
    }
  },
};

function late(input: HostInput, out: HostEffect[]): void {
  if (input.type === 'send') out.push({ type: 'input', inputId: input.turn.id, state: 'returned' });
}

function call(
  state: ScratchHostState,
  what: Call,
  method: string,
  params: JsonObject,
  out: HostEffect[],
): void {
  const id = ++state.calls;
  state.open.set(id, what);
  out.push({ type: 'write', text: request(id, method, params) });
}

function greet(state: ScratchHostState, out: HostEffect[]): void {
  if (state.phase !== 'new') return;
  state.phase = 'greeting';
  call(state, { type: 'initialize' }, 'initialize', { version: 1 }, out);
  out.push({ type: 'timer', name: 'hello', ms: HELLO_MS });
}

function send(state: ScratchHostState, turn: Turn, out: HostEffect[]): void {
  greet(state, out);
  const prompt = { turn, call: undefined, given: false, taken: false, refused: false, lastText: '' };
  state.prompts.set(turn.id, prompt);
  if (state.phase === 'failed') endPrompt(state, prompt, failed(NOT_READY), out);
  else advance(state, out);
}

const NOT_READY = 'The agent has refused the handshake.';

/** Writes everything that may be written now. */
function advance(state: ScratchHostState, out: HostEffect[]): void {
  if (state.phase !== 'ready') return;
  for (const prompt of state.prompts.values()) {
    if (prompt.call !== undefined || (prompt.refused && isRunning(state, prompt))) continue;
    const { key, agentId } = prompt.turn.session;
    const session = state.sessions.get(key);
    if (session === undefined) {
      state.sessions.set(key, { id: undefined });
      call(state, { type: 'open', key }, 'session/open', agentId === undefined ? {} : { id: agentId }, out);
    } else if (session.id !== undefined) writePrompt(state, prompt, session.id, out);
  }
}

/** Whether the agent is at another prompt of the session. */
function isRunning({ prompts }: ScratchHostState, { turn }: Prompt): boolean {
  for (const other of prompts.values())
    if (other.taken && other.turn.id !== turn.id && other.turn.session.key === turn.session.key) return true;
  return false;
}

function writePrompt(state: ScratchHostState, prompt: Prompt, session: string, out: HostEffect[]): void {
  const { id, text, attachments, extensions } = prompt.turn;
  if (!prompt.given) out.push({ type: 'input', inputId: id, state: 'given' });
  prompt.given = true;
  const files = attachments.map(({ path, url }) => path ?? url ?? '');
  const asks = extensions?.permission === true;
  call(state, { type: 'prompt', prompt }, 'prompt', { session, text, files, asks }, out);
  prompt.call = state.calls;
  if (!isRunning(state, prompt)) take(prompt, out);
}

function take(prompt: Prompt, out: HostEffect[]): void {
  if (prompt.taken) return;
  const { id } = prompt.turn;
  if (!prompt.given) out.push({ type: 'input', inputId: id, state: 'given' });
  Object.assign(prompt, { given: true, taken: true });
  out.push({ type: 'input', inputId: id, state: 'taken', turnId: id });
  eventsOf(out, id).push({ type: 'accepted', inputs: [id] });
}

function takeLine(state: ScratchHostState, line: string, truncated: boolean, out: HostEffect[]): void {
  const current = scratchHost.currentTurn(state);
  if (truncated) {
    eventsOf(out, current).push(faultEvent('line-too-long', 'A line is too long.', line));
    return;
  }
  if (line.trim() === '') return;
  const reading = readLine(line);
  switch (reading.type) {
    case 'fault':
      eventsOf(out, current).push(reading);
      return;
    case 'request':
      if (reading.method === 'ask') return openAsk(state, reading.id, reading.params, out);
      out.push({ type: 'write', text: errorResponse(reading.id, NO_METHOD, 'Unknown method.') });
      return;
    case 'notification':
      if (reading.method === 'update') return update(state, reading.params, line, out);
      if (reading.method === 'ask/withdrawn') return withdraw(state, String(reading.params.id), out);
      eventsOf(out, current).push(faultEvent('unknown-frame', 'Unknown method.', line));
      return;
    default:
      return respond(state, reading, line, out);
  }
}

type Response = Extract<ReturnType<typeof readLine>, { type: 'result' | 'error' }>;

function respond(state: ScratchHostState, response: Response, line: string, out: HostEffect[]): void {
  const what = state.open.get(response.id);
  if (what === undefined) {
    eventsOf(out, undefined).push(faultEvent('late-frame', 'A response to nothing.', line));
    return;
  }
  state.open.delete(response.id);
  if (what.type === 'prompt') endCall(state, what.prompt, response, out);
  else if (what.type === 'ping') out.push({ type: 'probed', probe: what.probe, running: isBusy(state) });
  else if (response.type === 'error') failCall(state, what, response.message, out);
  else if (what.type === 'initialize') {
    state.phase = 'ready';
    out.push({ type: 'timer', name: 'hello', ms: undefined });
    const { version, tools } = response.result;
    const named = Array.isArray(tools) ? tools.filter((tool) => typeof tool === 'string') : [];
    eventsOf(out, undefined).push({ type: 'ready', version: stringOf(version) ?? '', tools: named });
  } else noteSession(state, what.key, stringOf(response.result.session), out);
  advance(state, out);
}

function isBusy({ prompts }: ScratchHostState): boolean {
  return [...prompts.values()].some(({ taken }) => taken);
}

function noteSession(state: ScratchHostState, key: string, id: string | undefined, out: HostEffect[]): void {
  if (id === undefined) return failSession(state, key, 'The agent has named no session.', out);
  state.sessions.set(key, { id });
  const first = [...state.prompts.values()].find(({ turn }) => turn.session.key === key);
  eventsOf(out, first?.turn.id).push({ type: 'session', id });
}

function failCall(state: ScratchHostState, what: Call, message: string, out: HostEffect[]): void {
  if (what.type === 'open') failSession(state, what.key, message, out);
  else fail(state, message, out);
}

/** The next prompt of this session opens it anew. */
function failSession(state: ScratchHostState, key: string, message: string, out: HostEffect[]): void {
  state.sessions.delete(key);
  for (const prompt of [...state.prompts.values()])
    if (prompt.turn.session.key === key) endPrompt(state, prompt, failed(message), out);
}

function fail(state: ScratchHostState, message: string, out: HostEffect[]): void {
  if (state.phase !== 'greeting') return;
  state.phase = 'failed';
  out.push({ type: 'timer', name: 'hello', ms: undefined });
  for (const prompt of [...state.prompts.values()]) endPrompt(state, prompt, failed(message), out);
}

function failed(message: string, code?: string): End {
  return {
    type: 'end',
    outcome: 'error',
    text: '',
    error: { message, ...(code === undefined ? {} : { code }) },
  };
}

/** The agent has answered a prompt. One that it is too busy for is kept until the running one has ended. */
function endCall(state: ScratchHostState, prompt: Prompt, response: Response, out: HostEffect[]): void {
  if (!state.prompts.has(prompt.turn.id)) return;
  prompt.call = undefined;
  if (response.type === 'error' && response.code === BUSY && isRunning(state, prompt) && !prompt.taken) {
    prompt.refused = true;
    return;
  }
  const end: End =
    response.type === 'error'
      ? { ...failed(response.message), text: prompt.lastText }
      : {
          type: 'end',
          outcome: response.result.outcome === 'cancelled' ? 'cancelled' : 'success',
          text: prompt.lastText,
        };
  endPrompt(state, prompt, end, out);
}

function endPrompt(state: ScratchHostState, prompt: Prompt, end: End, out: HostEffect[]): void {
  const { id } = prompt.turn;
  take(prompt, out);
  for (const [askId, { turnId }] of state.asks) if (turnId === id) withdraw(state, askId, out);
  eventsOf(out, id).push(end);
  state.prompts.delete(id);
  state.proven = true;
}

/** The events that the wire carries, by type, and how they are read. */
const READERS: Readonly<Record<string, (value: JsonObject) => Event | undefined>> = {
  message: ({ text, files }) =>
    typeof text === 'string'
      ? {
          type: 'message',
          text,
          media: Array.isArray(files)
            ? files.flatMap((path) => (typeof path === 'string' ? [{ kind: 'file' as const, path }] : []))
            : [],
        }
      : undefined,
  delta: ({ text }) => (typeof text === 'string' ? { type: 'delta', kind: 'output', text } : undefined),
  progress: ({ text }) => (typeof text === 'string' ? { type: 'progress', text } : undefined),
  'tool-call': ({ id, name, input = {} }) =>
    typeof id === 'string' && typeof name === 'string' ? { type: 'tool-call', id, name, input } : undefined,
  'tool-result': ({ id, content, failed: isError }) =>
    typeof id === 'string' && typeof content === 'string'
      ? { type: 'tool-result', id, content, isError: isError === true }
      : undefined,
};

/** An update names its prompt, so that no order has to be guessed. */
function update(
  state: ScratchHostState,
  { prompt: id, event }: JsonObject,
  line: string,
  out: HostEffect[],
): void {
  const what = typeof id === 'number' ? state.open.get(id) : undefined;
  const value = isObject(event) ? event : {};
  const type = String(value.type);
  const read = Object.hasOwn(READERS, type) ? READERS[type]?.(value) : undefined;
  if (what?.type !== 'prompt' || read === undefined || !state.prompts.has(what.prompt.turn.id)) {
    eventsOf(out, undefined).push(faultEvent('malformed-frame', 'An update that means nothing.', line));
    return;
  }
  take(what.prompt, out);
  if (read.type === 'message') what.prompt.lastText = read.text;
  eventsOf(out, what.prompt.turn.id).push(read);
}

function openAsk(state: ScratchHostState, rpcId: Id, params: JsonObject, out: HostEffect[]): void {
  const what = typeof params.prompt === 'number' ? state.open.get(params.prompt) : undefined;
  const { question } = params;
  const askId = String(rpcId);
  const isKnown = what?.type === 'prompt' && state.prompts.has(what.prompt.turn.id) && what.prompt.taken;
  if (!isKnown || !isQuestion(question) || state.asks.has(askId)) {
    out.push({ type: 'write', text: errorResponse(rpcId, NO_METHOD, 'A question that cannot be asked.') });
    return;
  }
  const turnId = what.prompt.turn.id;
  state.asks.set(askId, { rpcId, turnId, question });
  out.push({ type: 'ask', askId, turnId, question });
}

function isQuestion(value: unknown): value is Question {
  const given = value as Partial<Question> | undefined;
  return typeof given?.title === 'string' && typeof given.kind === 'string' && Array.isArray(given.options);
}

function withdraw({ asks }: ScratchHostState, askId: string, out: HostEffect[]): void {
  if (asks.delete(askId)) out.push({ type: 'withdraw', askId });
}

function answer({ asks }: ScratchHostState, askId: string, given: Answer, out: HostEffect[]): void {
  const ask = asks.get(askId);
  if (ask === undefined) return;
  asks.delete(askId);
  out.push({ type: 'write', text: result(ask.rpcId, { answer: given as unknown as JsonObject }) });
}

/** A prompt that was not written ends at once. */
function interrupt(state: ScratchHostState, turnId: string | undefined, out: HostEffect[]): void {
  const prompt = state.prompts.get(turnId ?? scratchHost.currentTurn(state) ?? '');
  if (prompt === undefined) return;
  if (prompt.call === undefined)
    endPrompt(state, prompt, { type: 'end', outcome: 'cancelled', text: '' }, out);
  else out.push({ type: 'write', text: notification('cancel', { prompt: prompt.call }) });
}

function exit(state: ScratchHostState, how: Exit, out: HostEffect[]): void {
  const isProven = state.proven;
  for (const prompt of [...state.prompts.values()]) {
    if (isProven && !prompt.given) out.push({ type: 'input', inputId: prompt.turn.id, state: 'returned' });
    else endPrompt(state, prompt, { ...endBy(how), text: prompt.lastText }, out);
  }
  state.phase = 'ended';
}

function endBy({ cause, exitCode, failure }: Exit): End {
  if (cause === 'cancel') return { type: 'end', outcome: 'cancelled', text: '', exitCode };
  const message = failure?.message ?? 'The agent ended before it answered.';
  return { ...failed(message), exitCode, ...(cause === 'spawn' ? { started: false } : {}) };
}
