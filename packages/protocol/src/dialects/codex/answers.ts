import type { HostEffect, Probe } from '../../contract/host-side.ts';
import type { RpcError } from '../../framing/json-rpc.ts';
import { objectOf, stringOf } from '../../framing/narrow.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { reportProbe } from '../../rpc-host/host.ts';
import { noteSteered } from '../../rpc-host/inputs.ts';
import { noteInitialized } from './handshake.ts';
import { noteModels } from './options.ts';
import { type Call, type CodexHostState, type Conversation, callCodex } from './state.ts';
import { noteOpened, noteThreads } from './threads.ts';
import { noteStarted } from './turns.ts';
import { AGENT_METHODS } from './wire.ts';

/** Reads the answer to a request of ours. */
export function readAnswer(
  state: CodexHostState,
  call: Call,
  answer: JsonValue,
  problem: RpcError | undefined,
  out: HostEffect[],
): void {
  const error = problem === undefined ? undefined : { ...problem };
  switch (call.type) {
    case 'initialize':
      return noteInitialized(state, answer, error, out);
    case 'models':
      return error === undefined ? noteModels(state, answer, out) : undefined;
    case 'note':
      return;
    case 'probe':
      return reportProbe(state, call.probe, out);
    default: {
      const conversation = state.conversations.get(call.key);
      if (conversation !== undefined) readThreadAnswer(state, conversation, call, answer, error, out);
    }
  }
}

function readThreadAnswer(
  state: CodexHostState,
  conversation: Conversation,
  call: Extract<Call, { key: string }>,
  answer: JsonValue,
  error: JsonObject | undefined,
  out: HostEffect[],
): void {
  switch (call.type) {
    case 'list':
      return noteThreads(state, conversation, error === undefined ? answer : {}, out);
    case 'open':
      return noteOpened(state, conversation, call.how, answer, error, out);
    case 'turn': {
      const id = stringOf(objectOf(objectOf(answer).turn).id);
      return noteStarted(state, conversation, call, id, error, out);
    }
    case 'steer':
      return noteSteered(conversation, call, error === undefined, out);
  }
}

/** The wire has no question about the process itself: a list that is answered shows that it lives. */
export function probe(state: CodexHostState, what: Probe, out: HostEffect[]): void {
  callCodex(state, { type: 'probe', probe: what }, AGENT_METHODS.loadedThreads, {}, out);
}
