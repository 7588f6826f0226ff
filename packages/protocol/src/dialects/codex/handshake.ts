import { readFailure } from '../../codex-common/failure.ts';
import type { HostEffect } from '../../contract/host-side.ts';
import { objectOf, stringOf } from '../../framing/narrow.ts';
import { echoFailure } from '../../model/echo.ts';
import type { Failure } from '../../model/event.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { failProcess, write } from '../../rpc-host/state.ts';
import { type CodexHostState, callCodex, conversationOf } from './state.ts';
import { AGENT_METHODS, rpc } from './wire.ts';

/** The first request. Nothing else is written before its answer. The experimental part has plan mode. */
export function initialize(state: CodexHostState, out: HostEffect[]): void {
  out.push({ type: 'timer', name: 'start', ms: state.settings.startTimeoutSecs * 1000 });
  const params = {
    clientInfo: { name: 'plugboard', title: 'Plugboard', version: '1' },
    capabilities: { experimentalApi: true },
  };
  callCodex(state, { type: 'initialize' }, AGENT_METHODS.initialize, params, out);
}

/** Reads the answer to `initialize`. */
export function noteInitialized(
  state: CodexHostState,
  answer: JsonValue,
  error: JsonObject | undefined,
  out: HostEffect[],
): void {
  if (error !== undefined) return failStart(state, readFailure(error), out);
  const agent = stringOf(objectOf(answer).userAgent) ?? '';
  state.version = /\/(\d[\w.-]*)/.exec(agent)?.[1];
  out.push({ type: 'timer', name: 'start', ms: undefined });
  state.stage = 'ready';
  write(state, rpc.notification(AGENT_METHODS.initialized, {}), out);
  callCodex(state, { type: 'models' }, AGENT_METHODS.listModels, {}, out);
  if (state.session !== undefined) conversationOf(state, state.session).isAhead = true;
}

/** The program has written our `initialize` back. */
export function failEcho(state: CodexHostState, out: HostEffect[]): void {
  failStart(state, echoFailure("Codex's app-server protocol"), out);
}

/** The process has not answered in time. */
export function failLateStart(state: CodexHostState, out: HostEffect[]): void {
  const secs = state.settings.startTimeoutSecs;
  failStart(state, { message: `Codex was not ready within ${secs} s.`, code: 'start-timeout' }, out);
}

function failStart(state: CodexHostState, failure: Failure, out: HostEffect[]): void {
  out.push({ type: 'timer', name: 'start', ms: undefined });
  failProcess(state, failure, out);
}
