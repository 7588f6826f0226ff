import type { HostEffect } from '../contract/host-side.ts';
import {
  INTERNAL_ERROR,
  INVALID_REQUEST,
  type RpcError,
  type RpcWriter,
  readRpc,
  readRpcHead,
} from '../framing/json-rpc.ts';
import { noiseEvent } from '../framing/noise.ts';
import { faultEvent, LINE_DROPPED } from '../model/fault.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import {
  type AnyConversation,
  type AnyState,
  logEvent,
  type RequestId,
  tellCurrent,
  write,
} from './state.ts';

/** The messages of an agent, as its dialect reads them. */
export interface RpcReader<State, Call> {
  readonly rpc: RpcWriter;
  readNotification(state: State, method: string, params: JsonObject, out: HostEffect[]): void;
  readRequest(state: State, id: RequestId, method: string, params: JsonObject, out: HostEffect[]): void;
  /** The answer to a request of ours. */
  readAnswer(
    state: State,
    call: Call,
    answer: JsonValue,
    error: RpcError | undefined,
    out: HostEffect[],
  ): void;
}

type ReadState = AnyState<AnyConversation>;

/** Reads a line. A line that is no object is output of a wrapper or a library: it is logged. */
export function readLine<State extends ReadState, Call>(
  host: RpcReader<State, Call>,
  state: State,
  line: string,
  out: HostEffect[],
): void {
  const text = line.trim();
  if (text === '') return;
  if (!text.startsWith('{')) return tellCurrent(state, noiseEvent(state, line), out);
  const message = readRpc(line);
  if (message.type === 'fault') return tellCurrent(state, message, out);
  if (state.ended || state.stage === 'failed') return;
  switch (message.type) {
    case 'notification':
      return host.readNotification(state, message.method, message.params, out);
    case 'request':
      return host.readRequest(state, message.id, message.method, message.params, out);
    case 'result':
      return readAnswer(host, state, message.id, message.result, undefined, out);
    case 'error':
      return readAnswer(host, state, message.id, null, message.error, out);
  }
}

/** A line over the limit. The agent would wait for ever for an answer to its request, and a turn for the dropped answer. */
export function dropLine<State extends ReadState, Call>(
  host: RpcReader<State, Call>,
  state: State,
  beginning: string,
  out: HostEffect[],
): void {
  tellCurrent(state, faultEvent('line-too-long', LINE_DROPPED, beginning), out);
  if (state.ended || state.stage === 'failed') return;
  const head = readRpcHead(beginning);
  if (head?.type === 'request')
    write(state, host.rpc.error(head.id, { code: INVALID_REQUEST, message: REQUEST_DROPPED }), out);
  if (head?.type === 'answer')
    readAnswer(host, state, head.id, null, { code: INTERNAL_ERROR, message: ANSWER_DROPPED }, out);
}

const REQUEST_DROPPED = 'The request is longer than the limit of a line; it was dropped.';
const ANSWER_DROPPED = 'The answer of the agent is longer than the limit of a line; it was dropped.';

/** Reads the answer to a request of ours. Without an entry in `calls` it has no effect. */
function readAnswer<State extends ReadState, Call>(
  host: RpcReader<State, Call>,
  state: State,
  id: RequestId,
  answer: JsonValue,
  error: RpcError | undefined,
  out: HostEffect[],
): void {
  const call = typeof id === 'number' ? state.calls.get(id) : undefined;
  if (call === undefined) return reportStray(state, id, error, out);
  state.calls.delete(id as number);
  host.readAnswer(state, call as Call, answer, error, out);
}

/** `null` as the id of an error: the agent could not read a line of ours. */
function reportStray(
  state: AnyState<AnyConversation>,
  id: RequestId,
  error: RpcError | undefined,
  out: HostEffect[],
): void {
  if (error !== undefined && id === null)
    return tellCurrent(state, logEvent('warning', `The agent could not read a line: ${error.message}`), out);
  if (typeof id === 'number' && Number.isInteger(id) && id >= 0 && id < state.callCount) return;
  const message = 'The agent answered a request that was not made.';
  tellCurrent(state, faultEvent('unknown-frame', message, JSON.stringify(id)), out);
}
