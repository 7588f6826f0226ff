import type { HostEffect, Probe } from '../../contract/host-side.ts';
import type { RpcError } from '../../framing/json-rpc.ts';
import { objectOf, stringOf } from '../../framing/narrow.ts';
import type { End } from '../../model/event.ts';
import { faultEvent } from '../../model/fault.ts';
import type { JsonValue } from '../../model/json.ts';
import { reportProbe } from '../../rpc-host/host.ts';
import { noteSteered } from '../../rpc-host/inputs.ts';
import { tell } from '../../rpc-host/state.ts';
import { authFailure, isAuthError, LOGIN_WANTED, readFailure } from './host-failure.ts';
import { noteAuthenticated, noteInitialized } from './host-handshake.ts';
import { noteOption } from './host-options.ts';
import { noteOpened, noteSessions } from './host-sessions.ts';
import {
  type AcpHostState,
  type Call,
  type Conversation,
  callAgent,
  type RunningTurn,
} from './host-state.ts';
import { finishTurn } from './host-turns.ts';
import { readPromptUsage } from './host-usage.ts';

/** Reads the answer to a request of ours. */
export function readAnswer(
  state: AcpHostState,
  call: Call,
  answer: JsonValue,
  error: RpcError | undefined,
  out: HostEffect[],
): void {
  switch (call.type) {
    case 'initialize':
      return noteInitialized(state, answer, error, out);
    case 'authenticate':
      return noteAuthenticated(state, call.method, error, out);
    case 'probe':
      return reportProbe(state, call.probe, out);
    case 'close':
      return;
    default:
      return readConversationAnswer(state, call, answer, error, out);
  }
}

function readConversationAnswer(
  state: AcpHostState,
  call: Call & { key: string },
  answer: JsonValue,
  error: RpcError | undefined,
  out: HostEffect[],
): void {
  const conversation = state.conversations.get(call.key);
  if (conversation === undefined) return;
  switch (call.type) {
    case 'list':
      return noteSessions(state, conversation, error === undefined ? answer : {}, out);
    case 'open':
      return noteOpened(state, conversation, call.how, answer, error, out);
    case 'option':
      return noteOption(state, conversation, call, answer, error, out);
    case 'steer': {
      const { outcome } = objectOf(answer);
      const isInjected = outcome === 'injected' || outcome === 'startedNewTurn';
      return noteSteered(conversation, call, error === undefined && isInjected, out);
    }
    case 'prompt':
      if (conversation.turn?.id === call.turnId)
        finishTurn(state, conversation, readEnd(state, conversation, answer, error, out), out);
      return;
  }
}

const STOPS: Readonly<Record<string, string>> = {
  max_tokens: 'The model has reached its limit of tokens.',
  max_turn_requests: 'The agent has reached its limit of requests to the model.',
  refusal: 'The agent refuses to answer this.',
  cancelled: 'The agent stopped before it had answered.',
};

/** The `end` of a turn by the answer to its prompt. After a cancel every answer is one to the cancel. */
function readEnd(
  state: AcpHostState,
  conversation: Conversation,
  answer: JsonValue,
  error: RpcError | undefined,
  out: HostEffect[],
): End {
  const { turn } = conversation;
  const result = objectOf(answer);
  const usage = { usage: readPromptUsage(result) };
  if (turn?.interrupted === true) return { type: 'end', outcome: 'cancelled', text: '', ...usage };
  if (error !== undefined) {
    const failure = isAuthError(error) ? authFailure(state.agent, LOGIN_WANTED) : readFailure(error);
    return { type: 'end', outcome: 'error', text: '', error: failure };
  }
  const reason = stringOf(result.stopReason);
  if (reason === undefined) {
    const message = 'The answer to a prompt has no stopReason.';
    tell(conversation, faultEvent('malformed-frame', message, JSON.stringify(answer)), out);
  }
  if (reason === undefined || reason === 'end_turn')
    return { type: 'end', outcome: 'success', text: '', ...usage };
  const known = Object.hasOwn(STOPS, reason) ? STOPS[reason] : undefined;
  const message =
    reason === 'cancelled' && turn !== undefined && hasRefused(turn)
      ? 'The agent stopped, because a tool was refused.'
      : (known ?? `The agent stopped: ${reason.slice(0, 60)}.`);
  return { type: 'end', outcome: 'error', text: '', error: { message, code: reason }, ...usage };
}

function hasRefused({ tools }: RunningTurn): boolean {
  return [...tools.values()].some(({ isRefused }) => isRefused);
}

/** The wire has no question about the process itself. Any answer to a private method shows that it lives. */
export function probe(state: AcpHostState, what: Probe, out: HostEffect[]): void {
  callAgent(state, { type: 'probe', probe: what }, '_plugboard/ping', {}, out);
}
