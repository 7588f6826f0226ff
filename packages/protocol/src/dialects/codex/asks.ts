import type { HostEffect } from '../../contract/host-side.ts';
import { stringOf } from '../../framing/narrow.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Answer } from '../../model/question.ts';
import { findConversation, logEvent, type RequestId, tell, write } from '../../rpc-host/state.ts';
import { decide, hasChangedInput, refusalOf } from './decisions.ts';
import { failEcho } from './handshake.ts';
import { textItem } from './input.ts';
import { readQuestion } from './questions.ts';
import { type CodexHostState, type Conversation, callCodex, type OpenAsk } from './state.ts';
import { noteRefusal } from './tools.ts';
import { AGENT_METHODS, METHOD_NOT_FOUND, rpc } from './wire.ts';

/** A request of the program. Each is answered, since the program waits without a limit. */
export function readRequest(
  state: CodexHostState,
  requestId: RequestId,
  method: string,
  params: JsonObject,
  out: HostEffect[],
): void {
  if (state.stage === 'starting' && method === AGENT_METHODS.initialize) return failEcho(state, out);
  const refusal = refusalOf(method);
  if (refusal === undefined) {
    const error = { code: METHOD_NOT_FOUND, message: `This host does not answer ${method}.` };
    return write(state, rpc.error(requestId, error), out);
  }
  const conversation = findAskable(state, params);
  const turn = conversation?.turn;
  const item = turn?.tools.get(stringOf(params.itemId) ?? '')?.item;
  const question = readQuestion(method, params, item);
  if (conversation === undefined || turn === undefined || turn.interrupted || question === undefined)
    return write(state, rpc.result(requestId, refusal), out);
  const askId = `ask-${++state.askCount}`;
  state.asks.set(askId, { requestId, key: conversation.key, method, params, question });
  out.push({ type: 'ask', askId, turnId: turn.id, question });
}

/** A subagent asks with another `threadId`: its question belongs to the only running turn. */
function findAskable(state: CodexHostState, { threadId }: JsonObject): Conversation | undefined {
  const own = findConversation(state, threadId);
  if (own !== undefined) return own;
  const running = [...state.conversations.values()].filter(({ turn }) => turn !== undefined);
  return running.length === 1 ? running[0] : undefined;
}

const CHANGED_INPUT =
  'The answer changes the input of the tool, which this protocol cannot say: the tool was refused instead.';

/** Writes an answer, unless the question was withdrawn. */
export function answerAsk(state: CodexHostState, askId: string, answer: Answer, out: HostEffect[]): void {
  const ask = state.asks.get(askId);
  if (ask === undefined) return;
  state.asks.delete(askId);
  const { requestId, question, params, key } = ask;
  const decision = decide(ask, answer);
  const conversation = state.conversations.get(key);
  const turn = conversation?.turn;
  if (conversation !== undefined && turn !== undefined && !decision.isAllowed) {
    if (question.kind === 'permission') noteRefusal(turn, stringOf(params.itemId) ?? '', reasonOf(answer));
    if (hasChangedInput(question, answer)) tell(conversation, logEvent('warning', CHANGED_INPUT), out);
    if (decision.endsTurn) turn.isCancelled = true;
    else giveReason(state, conversation, ask, answer, out);
  }
  write(state, rpc.result(requestId, decision.result), out);
}

function reasonOf({ text, via }: Answer): string | undefined {
  return via === 'withdrawn' || text === undefined || text.trim() === '' ? undefined : text.trim();
}

/** The wire has no place for a reason: it is given to the turn, in front of the decision, so that the model reads both. */
function giveReason(
  state: CodexHostState,
  { turn, sessionId: threadId = '' }: Conversation,
  { question }: OpenAsk,
  answer: Answer,
  out: HostEffect[],
): void {
  const reason = reasonOf(answer);
  if (question.kind !== 'permission' || reason === undefined || turn?.codexId === undefined) return;
  const input = [textItem(`This was not allowed: ${reason}`)];
  const params = { threadId, expectedTurnId: turn.codexId, input };
  callCodex(state, { type: 'note' }, AGENT_METHODS.steerTurn, params, out);
}

/** `serverRequest/resolved`: the program needs no answer to `requestId`. */
export function withdrawAsk(state: CodexHostState, requestId: unknown, out: HostEffect[]): void {
  for (const [askId, ask] of state.asks) {
    if (ask.requestId !== requestId) continue;
    state.asks.delete(askId);
    out.push({ type: 'withdraw', askId });
  }
}

/** Withdraws the open questions of a conversation. The program drops them itself when it is interrupted. */
export function withdrawAsks(state: CodexHostState, { key }: Conversation, out: HostEffect[]): void {
  for (const [askId, ask] of state.asks) {
    if (ask.key !== key) continue;
    state.asks.delete(askId);
    out.push({ type: 'withdraw', askId });
  }
}
