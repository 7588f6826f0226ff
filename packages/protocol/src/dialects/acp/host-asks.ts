import type { HostEffect } from '../../contract/host-side.ts';
import { objectOf, stringOf } from '../../framing/narrow.ts';
import type { JsonObject } from '../../model/json.ts';
import { type Answer, permissionOf, type Question } from '../../model/question.ts';
import { findConversation, logEvent, type RequestId, tell, write } from '../../rpc-host/state.ts';
import { ELICITATION_CANCELLED, readElicitation, writeElicited } from './elicitation.ts';
import { failEcho } from './host-handshake.ts';
import type { AcpHostState, Conversation, OpenAsk, RunningTurn } from './host-state.ts';
import { noteAskedTool } from './host-tools.ts';
import { readPermission } from './permission.ts';
import { AGENT_METHODS, CANCEL_REQUEST, ERROR_CODES, HOST_METHODS, rpc } from './wire.ts';

const PERMISSION_CANCELLED: JsonObject = { outcome: { outcome: 'cancelled' } };

/** A request of the agent. Each is answered, since an agent may wait without a limit. */
export function readRequest(
  state: AcpHostState,
  id: RequestId,
  method: string,
  params: JsonObject,
  out: HostEffect[],
): void {
  if (state.stage === 'starting' && method === AGENT_METHODS.initialize) return failEcho(state, out);
  const conversation = findConversation(state, params.sessionId);
  const turn = conversation?.stage === 'open' ? conversation.turn : undefined;
  const isAskable = turn !== undefined && !turn.interrupted && turn.end === undefined;
  if (method === HOST_METHODS.requestPermission) {
    if (conversation === undefined || !isAskable) return respond(state, id, PERMISSION_CANCELLED, out);
    askPermission(state, conversation, turn, id, params, out);
  } else if (method === HOST_METHODS.createElicitation) {
    const asked = readElicitation(params);
    if (conversation === undefined || !isAskable || asked === undefined)
      return respond(state, id, ELICITATION_CANCELLED, out);
    openAsk(state, turn, { requestId: id, key: conversation.key, ...asked }, out);
  } else {
    const error = { code: ERROR_CODES.methodNotFound, message: `This host does not answer ${method}.` };
    write(state, rpc.error(id, error), out);
  }
}

function askPermission(
  state: AcpHostState,
  conversation: Conversation,
  turn: RunningTurn,
  requestId: RequestId,
  params: JsonObject,
  out: HostEffect[],
): void {
  const asked = objectOf(params.toolCall);
  const tool = noteAskedTool(conversation, turn, asked, out);
  const about = { type: 'permission' as const, toolCallId: stringOf(asked.toolCallId) ?? '' };
  const question = readPermission(params, tool);
  openAsk(state, turn, { requestId, key: conversation.key, question, about }, out);
}

function openAsk(state: AcpHostState, turn: RunningTurn, ask: OpenAsk, out: HostEffect[]): void {
  const askId = `ask-${++state.askCount}`;
  state.asks.set(askId, ask);
  out.push({ type: 'ask', askId, turnId: turn.id, question: ask.question });
}

function respond(state: AcpHostState, id: RequestId, result: JsonObject, out: HostEffect[]): void {
  write(state, rpc.result(id, result), out);
}

/** Writes an answer, unless the question was withdrawn. */
export function answerAsk(state: AcpHostState, askId: string, answer: Answer, out: HostEffect[]): void {
  const ask = state.asks.get(askId);
  if (ask === undefined) return;
  state.asks.delete(askId);
  const { about, requestId, question, key } = ask;
  if (answer.via === 'withdrawn') return respond(state, requestId, cancelledResult(ask), out);
  if (about.type !== 'permission') return respond(state, requestId, writeElicited(ask, answer), out);
  const conversation = state.conversations.get(key);
  const option = chooseOption(question, answer);
  const isAllowed = question.options.some((one) => one.id === option && one.effect?.startsWith('allow'));
  const tool = conversation?.turn?.tools.get(about.toolCallId);
  if (!isAllowed && tool !== undefined) tool.isRefused = true;
  if (conversation !== undefined && !isAllowed && permissionOf(question, answer).allowed)
    tell(conversation, logEvent('warning', CHANGED_INPUT), out);
  const selected = { outcome: { outcome: 'selected', optionId: option ?? '' } };
  respond(state, requestId, option === undefined ? PERMISSION_CANCELLED : selected, out);
}

const CHANGED_INPUT =
  'The answer changes the input of the tool, which this protocol cannot say: the tool was refused instead.';

/**
 * The option that an answer means. A no without an option of its own is `deny-once`, and never a lasting one; where
 * there is none, the question is cancelled. A yes to a changed input is a no.
 */
function chooseOption({ options, tool }: Question, { option, input }: Answer): string | undefined {
  const chosen = options.find(({ id }) => id === option);
  const isChanged = input !== undefined && JSON.stringify(input) !== JSON.stringify(tool?.input);
  const isUsable = chosen !== undefined && !(isChanged && chosen.effect?.startsWith('allow') === true);
  return isUsable ? chosen.id : options.find(({ effect }) => effect === 'deny-once')?.id;
}

/** Withdraws the open questions of a conversation, and tells the agent that they are cancelled. */
export function cancelAsks(state: AcpHostState, { key }: Conversation, out: HostEffect[]): void {
  for (const [askId, ask] of state.asks) if (ask.key === key) cancelAsk(state, askId, ask, out);
}

function cancelAsk(state: AcpHostState, askId: string, ask: OpenAsk, out: HostEffect[]): void {
  state.asks.delete(askId);
  out.push({ type: 'withdraw', askId });
  respond(state, ask.requestId, cancelledResult(ask), out);
}

function cancelledResult({ about }: OpenAsk): JsonObject {
  return about.type === 'permission' ? PERMISSION_CANCELLED : ELICITATION_CANCELLED;
}

/** Notifications that end a question. Other notifications are not read here. */
export function readWithdrawal(
  state: AcpHostState,
  method: string,
  params: JsonObject,
  out: HostEffect[],
): void {
  for (const [askId, ask] of state.asks) {
    const { about, requestId } = ask;
    if (method === CANCEL_REQUEST && params.requestId === requestId) cancelAsk(state, askId, ask, out);
    if (method !== HOST_METHODS.completeElicitation || about.type !== 'url') continue;
    if (about.elicitationId === undefined || about.elicitationId !== params.elicitationId) continue;
    state.asks.delete(askId);
    out.push({ type: 'withdraw', askId });
    respond(state, requestId, { action: 'accept' }, out);
  }
}
