import type { AgentEffect, AgentInput, AgentSide } from '../../contract/agent-side.ts';
import { REQUEST_TOO_LONG } from '../../contract/per-turn-agent.ts';
import { isObject } from '../../framing/json.ts';
import { readRpc, readRpcHead } from '../../framing/json-rpc.ts';
import { objectOf, stringOf } from '../../framing/narrow.ts';
import type { End } from '../../model/event.ts';
import type { JsonObject } from '../../model/json.ts';
import { createTurn } from '../../model/turn.ts';
import { LINE_ERROR_CODES, promptOutcome } from './agent-errors.ts';
import { tellOptions } from './agent-options.ts';
import { readPrompt } from './agent-prompt.ts';
import { ask, cancelAsks, dropAsks, takeAnswer, takeRefusal, withdraw } from './agent-questions.ts';
import {
  findSession,
  finishListing,
  finishOpening,
  invalid,
  listSessions,
  openSession,
  readFeatures,
  refOf,
  setForSession,
} from './agent-sessions.ts';
import {
  type AcpAgentState,
  type AgentSession,
  createAgentState,
  createOpenTurn,
  type OpenTurn,
  type RpcId,
  respond,
  respondError,
} from './agent-state.ts';
import { closeAsked } from './agent-tools.ts';
import { tellEvent, tellTitle, tellUsage } from './agent-updates.ts';
import { AGENT_METHODS, CANCEL_REQUEST, ERROR_CODES, PROTOCOL_VERSION } from './wire.ts';

export const acpAgent: AgentSide<AcpAgentState> = {
  // Other protocols on JSON-RPC have this method too, without a number for a version.
  recognises: (value) =>
    isObject(value) &&
    value.method === AGENT_METHODS.initialize &&
    typeof objectOf(value.params).protocolVersion === 'number',
  recognisesHalf: (line) => /"jsonrpc"\s*:\s*"2\.0"/.test(line),
  initial: createAgentState,
  readsInput: () => true,
  step(state, input, out) {
    switch (input.type) {
      case 'event':
        return takeEvent(state, input, out);
      case 'line':
        return takeLine(state, input, out);
      case 'ask':
        return takeAsk(state, input, out);
      case 'withdraw':
        return withdraw(state, input.askId, out);
      case 'session-opened':
        return finishOpening(state, input, out);
      case 'sessions-listed':
        return finishListing(state, input, out);
      case 'not-taken':
        return endTurn(state, input.turnId, failed(input.message), out);
      case 'input-end':
        return stopAll(state, out);
      default:
    }
  },
  // A turn reports its failure in the answer to its prompt, so the process exits with 0.
  exitCode: () => 0,
};

type Input<Type extends AgentInput['type']> = Extract<AgentInput, { type: Type }>;

function takeLine(state: AcpAgentState, { text, truncated }: Input<'line'>, out: AgentEffect[]): void {
  if (truncated === true) return refuseLong(state, text, out);
  if (text.trim() === '') return;
  const message = readRpc(text.startsWith('\uFEFF') ? text.slice(1) : text);
  switch (message.type) {
    case 'request':
      return takeRequest(state, message, out);
    case 'notification':
      return takeNotification(state, message, out);
    case 'result':
      return takeAnswer(state, message.id, message.result, out);
    case 'error':
      return takeRefusal(state, message.id, message.error.message, out);
    case 'fault': {
      const { code, message: reason } = message.fault;
      const rpcCode = code === 'malformed-frame' ? LINE_ERROR_CODES.invalidRequest : LINE_ERROR_CODES.parse;
      respondError(null, { code: rpcCode, message: reason }, out);
    }
  }
}

/** A line over the limit. The answer to a question is a no, since it will not come again. */
function refuseLong(state: AcpAgentState, beginning: string, out: AgentEffect[]): void {
  const head = readRpcHead(beginning);
  if (head?.type === 'answer') return takeRefusal(state, head.id, ANSWER_TOO_LONG, out);
  const error = { code: LINE_ERROR_CODES.invalidRequest, message: REQUEST_TOO_LONG.message };
  respondError(head?.id ?? null, error, out);
}

const ANSWER_TOO_LONG = 'The answer was longer than 64 MiB and was dropped.';

interface Call {
  readonly id: RpcId;
  readonly method: string;
  readonly params: JsonObject;
}

function takeRequest(state: AcpAgentState, call: Call, out: AgentEffect[]): void {
  const { id, method, params } = call;
  if (!state.isInitialized && method !== AGENT_METHODS.initialize)
    return respondError(id, { code: LINE_ERROR_CODES.invalidRequest, message: NOT_INITIALIZED }, out);
  switch (method) {
    case AGENT_METHODS.initialize:
      return initialize(state, call, out);
    case AGENT_METHODS.authenticate:
      return respondError(id, invalid('This agent needs no login: it has no such method.'), out);
    case AGENT_METHODS.newSession:
      return openSession(state, { rpcId: id, method: 'new' }, params, out);
    case AGENT_METHODS.resumeSession:
      return openSession(state, { rpcId: id, method: 'resume' }, params, out);
    case AGENT_METHODS.prompt:
      return takePrompt(state, call, out);
    case AGENT_METHODS.closeSession:
      return closeSession(state, call, out);
    case AGENT_METHODS.setMode:
    case AGENT_METHODS.setConfigOption:
      return setForSession(state, id, method, params, out);
    case AGENT_METHODS.loadSession:
      if (keepsHistory(state)) return openSession(state, { rpcId: id, method: 'load' }, params, out);
      break;
    case AGENT_METHODS.listSessions:
      if (keepsHistory(state)) return listSessions(state, id, params, out);
  }
  const message = `There is no method ${method.slice(0, 60)}.`;
  respondError(id, { code: ERROR_CODES.methodNotFound, message }, out);
}

const NOT_INITIALIZED = 'The first request must be `initialize`, and no other is served before it.';

function keepsHistory({ context }: AcpAgentState): boolean {
  return context.keepsHistory === true;
}

function initialize(state: AcpAgentState, { id, params }: Call, out: AgentEffect[]): void {
  state.isInitialized = true;
  state.client = readFeatures(params);
  const { context, ready } = state;
  const takesFiles = context.takesFiles !== false;
  const result = {
    protocolVersion: PROTOCOL_VERSION,
    agentCapabilities: {
      loadSession: keepsHistory(state),
      promptCapabilities: { image: takesFiles, audio: takesFiles, embeddedContext: true },
      mcpCapabilities: { http: false, sse: false },
      sessionCapabilities: { ...(keepsHistory(state) ? { list: {} } : {}), resume: {}, close: {} },
    },
    authMethods: [],
    agentInfo: { name: stringOf(ready?.details?.name) ?? 'plugboard', version: ready?.version ?? '0.0.0' },
  };
  respond(id, result, out);
}

/** A prompt to a session that is at work waits for the running turn, or is taken into it. */
function takePrompt(state: AcpAgentState, { id, params }: Call, out: AgentEffect[]): void {
  const session = findSession(state, id, params, out);
  if (session === undefined) return;
  if (!Array.isArray(params.prompt))
    return respondError(id, invalid('`prompt` must be a list of content blocks.'), out);
  const { text, attachments, others } = readPrompt(params.prompt);
  const { _meta: meta } = params;
  const turn = createTurn({
    id: state.context.nextTurnId(),
    text,
    attachments,
    session: refOf(session),
    extensions: {
      ...session.extensions,
      permission: true,
      ...(others.length === 0 ? {} : { other_blocks: others }),
      ...(isObject(meta) ? { meta } : {}),
    },
  });
  state.lastSession = session;
  state.turns.set(turn.id, createOpenTurn(turn.id, session, id));
  out.push({ type: 'turn', turn });
}

function takeNotification(
  state: AcpAgentState,
  { method, params }: Pick<Call, 'method' | 'params'>,
  out: AgentEffect[],
): void {
  if (method === AGENT_METHODS.cancel) {
    const session = state.sessions.get(stringOf(params.sessionId) ?? '');
    if (session !== undefined) cancelTurns(state, session, out);
  } else if (method === CANCEL_REQUEST) {
    for (const turn of state.turns.values())
      if (turn.rpcId !== undefined && turn.rpcId === params.requestId) cancelTurn(state, turn, out);
  }
}

/** Cancels the turns of a session, the last one first: a turn that waits must not begin when the running one ends. */
function cancelTurns(state: AcpAgentState, session: AgentSession, out: AgentEffect[]): void {
  for (const turn of [...state.turns.values()].reverse())
    if (turn.session === session) cancelTurn(state, turn, out);
}

/** A turn that was taken into another one ends with that. */
function cancelTurn(state: AcpAgentState, { id, into }: OpenTurn, out: AgentEffect[]): void {
  if (into !== undefined && state.turns.has(into)) return;
  out.push({ type: 'interrupt', turnId: id });
  cancelAsks(state, id, out);
}

/** The client is gone, so nobody waits for an answer. */
function stopAll(state: AcpAgentState, out: AgentEffect[]): void {
  for (const session of state.sessions.values()) cancelTurns(state, session, out);
}

function closeSession(state: AcpAgentState, { id, params }: Call, out: AgentEffect[]): void {
  const session = findSession(state, id, params, out);
  if (session === undefined) return;
  cancelTurns(state, session, out);
  state.sessions.delete(session.key);
  out.push({ type: 'close-session', sessionKey: session.key });
  respond(id, {}, out);
}

function takeAsk(state: AcpAgentState, { askId, turnId, question }: Input<'ask'>, out: AgentEffect[]): void {
  const turn = state.turns.get(turnId);
  if (turn === undefined) out.push({ type: 'cannot-ask', askId });
  else ask(state, turn, { askId, question }, out);
}

function takeEvent(state: AcpAgentState, input: Input<'event'>, out: AgentEffect[]): void {
  const { turnId, event } = input;
  if (event.type === 'ready') state.ready = event;
  else if (event.type === 'end') endTurn(state, turnId ?? '', event, out);
  else if (turnId === undefined) takeIdleEvent(state, input, out);
  else {
    const turn = state.turns.get(turnId) ?? beginOwnTurn(state, turnId, input.sessionKey);
    if (turn === undefined) return;
    if (event.type === 'accepted') turn.begun = true;
    if (event.type === 'steered') joinTurns(state, turnId, event.inputs);
    tellEvent(state, turn, event, out);
  }
}

/** A turn that the agent begins by itself is shown in the session of the last prompt, unless its session is known. */
function beginOwnTurn(state: AcpAgentState, turnId: string, key: string | undefined): OpenTurn | undefined {
  const session = key === undefined ? state.lastSession : state.sessions.get(key);
  if (session === undefined || !state.sessions.has(session.key)) return undefined;
  const turn = createOpenTurn(turnId, session, undefined);
  state.turns.set(turnId, turn);
  return turn;
}

/** An event about one session, or about all of them. */
function takeIdleEvent(
  state: AcpAgentState,
  { event, sessionKey }: Input<'event'>,
  out: AgentEffect[],
): void {
  const { sessions, client } = state;
  const named = sessionKey === undefined ? undefined : sessions.get(sessionKey);
  if (event.type === 'options') {
    if (sessionKey === undefined) {
      state.options = event.options ?? state.options;
      state.commands = event.commands ?? state.commands;
    }
    for (const session of sessionKey === undefined ? sessions.values() : named === undefined ? [] : [named])
      tellOptions(session, event, { client, inTurn: false }, out);
    return;
  }
  const session = named ?? (sessions.size === 1 ? state.lastSession : undefined);
  if (session === undefined) return;
  if (event.type === 'session-info') tellTitle(session, event.title, out);
  else if (event.type === 'usage') tellUsage(session, event.usage, event.cost, out);
}

function joinTurns({ turns }: AcpAgentState, turnId: string, inputs: readonly string[]): void {
  for (const id of inputs) {
    const joined = turns.get(id);
    if (joined !== undefined && id !== turnId) joined.into = turnId;
  }
}

/** Answers the prompt of a turn, and then those that the turn has taken in. */
function endTurn(state: AcpAgentState, turnId: string, end: End, out: AgentEffect[]): void {
  const turn = state.turns.get(turnId);
  if (turn === undefined) return;
  for (const call of turn.asked)
    closeAsked(turn, call, end.outcome === 'success' ? 'completed' : 'failed', out);
  dropAsks(state, turnId);
  if (end.usage !== undefined && hasOtherUsage(turn, end)) tellUsage(turn.session, end.usage, end.cost, out);
  const joined = [...state.turns.values()].filter(({ into }) => into === turnId);
  for (const { id, rpcId } of [turn, ...joined]) {
    state.turns.delete(id);
    if (rpcId !== undefined) answerPrompt(rpcId, end, out);
  }
}

/** The last `usage` of a turn is often repeated by its `end`. */
function hasOtherUsage({ usage: told }: OpenTurn, { usage, cost }: End): boolean {
  return (
    told?.usage.context_used !== usage?.context_used ||
    told?.usage.context_size !== usage?.context_size ||
    told?.cost?.amount !== cost?.amount
  );
}

function answerPrompt(rpcId: RpcId, end: End, out: AgentEffect[]): void {
  const outcome = promptOutcome(end);
  if ('result' in outcome) respond(rpcId, outcome.result, out);
  else respondError(rpcId, outcome.error, out);
}

function failed(message: string): End {
  return { type: 'end', outcome: 'error', text: '', error: { message } };
}
