import type { HostEffect, Probe } from '../../contract/host-side.ts';
import { jsonLine, show } from '../../framing/json.ts';
import { objectOf, stringOf, stringsOf } from '../../framing/narrow.ts';
import { echoFailure } from '../../model/echo.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Answer } from '../../model/question.ts';
import { failProcess, noteFate } from './inputs.ts';
import { noteOffer, noteOption } from './options.ts';
import { NOBODY_ASKED, readQuestion, writeAnswer } from './questions.ts';
import { type Call, type ClaudeHostState, callClaude, tell } from './state.ts';

/** A `control_request` of the program. Each is answered, since the program waits without a limit. */
export function readRequest(state: ClaudeHostState, value: JsonObject, out: HostEffect[]): void {
  const id = stringOf(value.request_id);
  if (id === undefined) return;
  const request = objectOf(value.request);
  if (request.subtype === 'can_use_tool') return openAsk(state, id, request, out);
  if (request.subtype === 'initialize' && !state.isReady && state.turn === undefined)
    return failProcess(state, echoFailure('the stream-json protocol of Claude Code'), out);
  const error = `This host does not answer ${show(request.subtype)}.`;
  respond({ subtype: 'error', request_id: id, error }, out);
}

function openAsk(state: ClaudeHostState, id: string, request: JsonObject, out: HostEffect[]): void {
  const { turn, asks } = state;
  if (asks.has(id)) return;
  if (turn === undefined || turn.muted) return succeed(id, NOBODY_ASKED, out);
  const question = readQuestion(request, state.workspace);
  asks.set(id, { question, request });
  out.push({ type: 'ask', askId: id, turnId: turn.id, question });
}

/** `control_cancel_request`: the program waits for this answer no longer. */
export function withdrawAsk({ asks }: ClaudeHostState, value: JsonObject, out: HostEffect[]): void {
  const askId = stringOf(value.request_id) ?? '';
  if (asks.delete(askId)) out.push({ type: 'withdraw', askId });
}

/** Writes an answer, unless the question was withdrawn. */
export function answerAsk({ asks }: ClaudeHostState, askId: string, answer: Answer, out: HostEffect[]): void {
  const ask = asks.get(askId);
  if (ask === undefined) return;
  asks.delete(askId);
  succeed(askId, writeAnswer(ask.question, ask.request, answer), out);
}

function succeed(id: string, response: JsonObject, out: HostEffect[]): void {
  respond({ subtype: 'success', request_id: id, response }, out);
}

function respond(response: JsonObject, out: HostEffect[]): void {
  out.push({ type: 'write', text: jsonLine({ type: 'control_response', response }) });
}

/** The wire has no question about the process itself: a list of MCP servers that is answered shows that it lives. */
export function probe(state: ClaudeHostState, what: Probe, out: HostEffect[]): void {
  if (!state.ended && state.failure === undefined)
    callClaude(state, { type: what }, { subtype: 'mcp_status' }, out);
}

/** A `control_response`: the answer to a request of ours. */
export function readResponse(state: ClaudeHostState, value: JsonObject, out: HostEffect[]): void {
  const response = objectOf(value.response);
  const id = stringOf(response.request_id) ?? '';
  const call = state.calls.get(id);
  if (call === undefined) return;
  state.calls.delete(id);
  const error = response.subtype === 'success' ? undefined : (stringOf(response.error) ?? 'no reason given');
  takeResponse(state, call, objectOf(response.response), error, out);
}

function takeResponse(
  state: ClaudeHostState,
  call: Call,
  answer: JsonObject,
  error: string | undefined,
  out: HostEffect[],
): void {
  switch (call.type) {
    case 'initialize':
      return error === undefined ? noteOffer(state, answer, out) : complain(state, error, out);
    case 'option':
      return noteOption(state, call, error, out);
    case 'interrupt':
      for (const uuid of stringsOf(answer.cancelled)) noteFate(state, uuid, 'cancelled', out);
      return;
    case 'cancel-input':
      if (answer.cancelled === true) noteFate(state, call.uuid, 'cancelled', out);
      return;
    case 'mcp-servers':
      return error === undefined ? undefined : complain(state, error, out);
    case 'status':
    case 'heartbeat':
      return reportProbe(state, call.type, out);
  }
}

function reportProbe({ turn, session }: ClaudeHostState, what: Probe, out: HostEffect[]): void {
  if (what === 'heartbeat') out.push({ type: 'probed', probe: what });
  else
    out.push({
      type: 'probed',
      probe: what,
      running: turn !== undefined,
      ...(session === undefined ? {} : { session }),
    });
}

function complain(state: ClaudeHostState, error: string, out: HostEffect[]): void {
  const text = `Claude Code has refused a request: ${error}`;
  tell(state, { type: 'log', level: 'warning', text, source: 'agent' }, out);
}
