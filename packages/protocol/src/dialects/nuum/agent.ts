import type { AgentEffect, AgentInput, AgentSide } from '../../contract/agent-side.ts';
import type { Probe } from '../../contract/host-side.ts';
import { REQUEST_TOO_LONG } from '../../contract/per-turn-agent.ts';
import { isObject } from '../../framing/json.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Question } from '../../model/question.ts';
import { readAnswer, requestFields } from './asks.ts';
import { readRequest } from './request.ts';
import { createSaying, type SayingState, say, saySystem } from './saying.ts';

/** One agent process. */
export interface NuumAgentState extends SayingState {
  readonly nextTurnId: () => string;
  /** No line has been read yet: the first may begin with a byte order mark (`\uFEFF`). */
  atStart: boolean;
  /** A turn has begun and not ended. */
  running: boolean;
  /** Turns that were given to the handler, and that no turn has taken. */
  readonly waiting: Set<string>;
  /** The last message of the host had `permission: true`. */
  mayAsk: boolean;
  /** Questions without an answer, by id. */
  readonly asks: Map<string, Question>;
}

export const nuumAgent: AgentSide<NuumAgentState> = {
  recognises: (value) => isObject(value) && (value.type === 'user' || value.type === 'control'),
  initial: (context) => ({
    ...createSaying(),
    nextTurnId: context.nextTurnId,
    atStart: true,
    running: false,
    waiting: new Set(),
    mayAsk: false,
    asks: new Map(),
  }),
  readsInput: () => true,
  step(state, input, out) {
    if (input.type === 'event') tell(state, input, out);
    else if (input.type === 'line') readLine(state, input, out);
    else if (input.type === 'not-taken') refuse(state, input, out);
    else if (input.type === 'ask') ask(state, input.askId, input.question, out);
    else if (input.type === 'withdraw') withdraw(state, input.askId, out);
  },
  // Turns report their failure in `result`, so the process exits with 0.
  exitCode: () => 0,
};

type Input<Type extends AgentInput['type']> = Extract<AgentInput, { type: Type }>;

/** The end of a turn that has not begun is not written: a host would take the `result` for that of another turn. */
function tell(state: NuumAgentState, { turnId = '', event }: Input<'event'>, out: AgentEffect[]): void {
  if (event.type === 'accepted' || event.type === 'steered')
    for (const id of event.inputs ?? []) state.waiting.delete(id);
  if (event.type === 'accepted') state.running = true;
  if (event.type === 'end') {
    if (state.waiting.delete(turnId)) return;
    state.running = false;
  }
  write(say(state, event), out);
}

function refuse(
  { waiting }: NuumAgentState,
  { turnId, message }: Input<'not-taken'>,
  out: AgentEffect[],
): void {
  waiting.delete(turnId);
  complain(message, out);
}

/** A line that cannot be read is answered by a `system/error`, and the process lives on. */
function readLine(state: NuumAgentState, input: Input<'line'>, out: AgentEffect[]): void {
  if (input.truncated === true) return complain(REQUEST_TOO_LONG.message, out);
  const text = state.atStart && input.text.startsWith('\uFEFF') ? input.text.slice(1) : input.text;
  state.atStart = false;
  if (text.trim() === '') return;
  const request = readRequest(text, state);
  if (request.type === 'fault') complain(request.fault.message, out);
  else if (request.type === 'turn') {
    state.mayAsk = request.turn.extensions?.permission === true;
    state.waiting.add(request.turn.id);
    out.push(request);
  } else if (request.type === 'answer') takeAnswer(state, request.id, request.value, out);
  else if (request.action !== 'interrupt') write(answer(state, request.action), out);
  else if (state.running) out.push({ type: 'interrupt' });
  else complain('No turn is running.', out);
}

function ask(
  { mayAsk, asks, session }: NuumAgentState,
  askId: string,
  question: Question,
  out: AgentEffect[],
): void {
  if (!mayAsk) {
    out.push({ type: 'cannot-ask', askId });
    return;
  }
  asks.set(askId, question);
  write(saySystem('permission_request', { ...requestFields(askId, question), session_id: session }), out);
}

function withdraw({ asks }: NuumAgentState, askId: string, out: AgentEffect[]): void {
  if (asks.delete(askId)) write(saySystem('permission_withdrawn', { request_id: askId }), out);
}

/** An answer to an unknown or withdrawn `askId` is late and is ignored. */
function takeAnswer({ asks }: NuumAgentState, askId: string, value: JsonObject, out: AgentEffect[]): void {
  const question = asks.get(askId);
  if (question === undefined) return;
  asks.delete(askId);
  out.push({ type: 'answer', askId, answer: readAnswer(question, value) });
}

function answer({ running, session }: NuumAgentState, probe: Probe): string {
  return probe === 'status'
    ? saySystem('status_response', { running, session_id: session })
    : saySystem('heartbeat_ack', {});
}

function complain(message: string, out: AgentEffect[]): void {
  write(saySystem('error', { message }), out);
}

function write(text: string, out: AgentEffect[]): void {
  if (text !== '') out.push({ type: 'write', text });
}
