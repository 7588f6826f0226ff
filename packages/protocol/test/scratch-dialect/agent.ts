import {
  type AgentContext,
  type AgentEffect,
  type AgentInput,
  type AgentSide,
  type Answer,
  attachmentAt,
  createTurn,
  type End,
  type Event,
  isObject,
  type JsonObject,
  REQUEST_TOO_LONG,
  type Ready,
} from '@plugboard/protocol';
import {
  BUSY,
  errorResponse,
  FAILED,
  type Id,
  NO_METHOD,
  NO_SESSION,
  notification,
  readLine,
  request,
  result,
  stringOf,
} from './wire.ts';

interface Prompt {
  readonly rpcId: Id;
  readonly session: string;
  /** The host has offered to answer questions. */
  readonly asks: boolean;
}

/** One process with several sessions. */
export interface ScratchAgentState {
  readonly context: AgentContext;
  ready: Ready | undefined;
  sessions: number;
  readonly open: Set<string>;
  /** By turn id. */
  readonly prompts: Map<string, Prompt>;
  readonly asks: Set<string>;
}

type Input<Type extends AgentInput['type']> = Extract<AgentInput, { type: Type }>;

export const scratchAgent: AgentSide<ScratchAgentState> = {
  recognises: (value) => isObject(value) && value.jsonrpc === '2.0' && value.method === 'initialize',
  initial: (context) => ({
    context,
    ready: undefined,
    sessions: 0,
    open: new Set(),
    prompts: new Map(),
    asks: new Set(),
  }),
  readsInput: () => true,
  step(state, input, out) {
    switch (input.type) {
      case 'line':
        return takeLine(state, input, out);
      case 'event':
        return tell(state, input, out);
      case 'ask':
        return ask(state, input, out);
      case 'withdraw':
        if (state.asks.delete(input.askId)) write(notification('ask/withdrawn', { id: input.askId }), out);
        return;
      case 'not-taken':
        return endPrompt(state, input.turnId, errorOf(input.message), out);
      default:
    }
  },
  exitCode: () => 0,
};

function write(text: string, out: AgentEffect[]): void {
  out.push({ type: 'write', text });
}

function takeLine(state: ScratchAgentState, { text, truncated }: Input<'line'>, out: AgentEffect[]): void {
  if (truncated === true) return void out.push({ type: 'log', text: REQUEST_TOO_LONG.message });
  if (text.trim() === '') return;
  const reading = readLine(text);
  switch (reading.type) {
    case 'fault':
      return void out.push({ type: 'log', text: reading.fault.message });
    case 'result':
      return takeAnswer(state, String(reading.id), reading.result, out);
    case 'notification':
      return interrupt(state, reading.params.prompt, out);
    case 'request':
      return takeRequest(state, reading, out);
    default:
  }
}

function takeRequest(
  state: ScratchAgentState,
  { id, method, params }: { id: Id; method: string; params: JsonObject },
  out: AgentEffect[],
): void {
  switch (method) {
    case 'initialize':
      return write(result(id, { version: state.ready?.version ?? '', tools: state.ready?.tools ?? [] }), out);
    case 'session/open':
      return write(result(id, { session: openSession(state, stringOf(params.id)) }), out);
    case 'prompt':
      return prompt(state, id, params, out);
    case 'ping':
      return write(result(id, {}), out);
    default:
      return write(errorResponse(id, NO_METHOD, 'Unknown method.'), out);
  }
}

function openSession(state: ScratchAgentState, given: string | undefined): string {
  const id = given ?? state.context.newSessionKey?.() ?? `session-${++state.sessions}`;
  state.open.add(id);
  return id;
}

function prompt(state: ScratchAgentState, rpcId: Id, params: JsonObject, out: AgentEffect[]): void {
  const session = stringOf(params.session) ?? '';
  if (!state.open.has(session))
    return write(errorResponse(rpcId, NO_SESSION, 'There is no such session.'), out);
  for (const other of state.prompts.values())
    if (other.session === session) return write(errorResponse(rpcId, BUSY, 'A prompt is running.'), out);
  const asks = params.asks === true;
  const files = Array.isArray(params.files) ? params.files.filter((file) => typeof file === 'string') : [];
  const turn = createTurn({
    id: state.context.nextTurnId(),
    text: stringOf(params.text) ?? '',
    attachments: files.map(attachmentAt),
    session: { key: session, agentId: session },
    ...(asks ? { extensions: { permission: true } } : {}),
  });
  state.prompts.set(turn.id, { rpcId, session, asks });
  out.push({ type: 'turn', turn });
}

function interrupt({ prompts }: ScratchAgentState, rpcId: unknown, out: AgentEffect[]): void {
  for (const [turnId, open] of prompts) if (open.rpcId === rpcId) out.push({ type: 'interrupt', turnId });
}

function takeAnswer({ asks }: ScratchAgentState, askId: string, value: JsonObject, out: AgentEffect[]): void {
  if (!asks.delete(askId)) return;
  out.push({ type: 'answer', askId, answer: value.answer as unknown as Answer });
}

function tell(state: ScratchAgentState, { turnId = '', event }: Input<'event'>, out: AgentEffect[]): void {
  if (event.type === 'ready') state.ready = event;
  if (event.type === 'steered')
    for (const id of event.inputs) endPrompt(state, id, { type: 'end', outcome: 'success', text: '' }, out);
  if (event.type === 'end') return endPrompt(state, turnId, event, out);
  const open = state.prompts.get(turnId);
  const value = written(event);
  if (open !== undefined && value !== undefined)
    write(notification('update', { prompt: open.rpcId, event: value }), out);
}

function written(event: Event): JsonObject | undefined {
  switch (event.type) {
    case 'message':
      return {
        type: 'message',
        text: event.text,
        files: event.media.map(({ path, url }) => path ?? url ?? ''),
      };
    case 'delta':
      return event.kind === 'output' && event.restart !== true
        ? { type: 'delta', text: event.text }
        : undefined;
    case 'progress':
      return { type: 'progress', text: event.text };
    case 'tool-call':
      return { type: 'tool-call', id: event.id, name: event.name, input: event.input };
    case 'tool-result':
      return { type: 'tool-result', id: event.id, content: event.content, failed: event.isError };
    default:
      return undefined;
  }
}

function errorOf(message: string): End {
  return { type: 'end', outcome: 'error', text: '', error: { message } };
}

function endPrompt(state: ScratchAgentState, turnId: string, end: End, out: AgentEffect[]): void {
  const open = state.prompts.get(turnId);
  if (open === undefined) return;
  state.prompts.delete(turnId);
  const { outcome, error } = end;
  if (outcome === 'success' || outcome === 'cancelled') return write(result(open.rpcId, { outcome }), out);
  write(errorResponse(open.rpcId, FAILED, error?.message ?? 'The agent failed.'), out);
}

function ask(state: ScratchAgentState, { askId, turnId, question }: Input<'ask'>, out: AgentEffect[]): void {
  const open = state.prompts.get(turnId);
  if (open?.asks !== true) return void out.push({ type: 'cannot-ask', askId });
  state.asks.add(askId);
  write(request(askId, 'ask', { prompt: open.rpcId, question: question as unknown as JsonObject }), out);
}
