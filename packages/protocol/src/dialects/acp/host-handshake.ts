import type { HostEffect } from '../../contract/host-side.ts';
import { show } from '../../framing/json.ts';
import type { RpcError } from '../../framing/json-rpc.ts';
import { listOf, objectOf, stringOf } from '../../framing/narrow.ts';
import { echoFailure } from '../../model/echo.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { failProcess } from '../../rpc-host/state.ts';
import { authFailure, readFailure } from './host-failure.ts';
import { type AcpHostState, callAgent, conversationOf, type KnownAgent } from './host-state.ts';
import { AGENT_METHODS, PROTOCOL_VERSION } from './wire.ts';

/** Files and terminals are not offered: every agent has its own access to them. */
const CLIENT_CAPABILITIES: JsonObject = {
  fs: { readTextFile: false, writeTextFile: false },
  terminal: false,
  elicitation: { form: {}, url: {} },
  session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
};

/** The first request. Nothing else is written before its answer. */
export function initialize(state: AcpHostState, out: HostEffect[]): void {
  out.push({ type: 'timer', name: 'start', ms: state.settings.startTimeoutSecs * 1000 });
  const params = {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: CLIENT_CAPABILITIES,
    clientInfo: { name: 'plugboard', title: 'Plugboard', version: '1' },
  };
  callAgent(state, { type: 'initialize' }, AGENT_METHODS.initialize, params, out);
}

/** Reads the answer to `initialize`, and logs in where the profile names a way. */
export function noteInitialized(
  state: AcpHostState,
  answer: JsonValue,
  error: RpcError | undefined,
  out: HostEffect[],
): void {
  if (error !== undefined) return fail(state, readFailure(error), out);
  const result = objectOf(answer);
  if (result.protocolVersion !== PROTOCOL_VERSION) return fail(state, wrongVersion(result), out);
  state.agent = readAgent(result);
  const method = state.settings.authMethod;
  if (method === undefined) return becomeReady(state, out);
  const offered = state.agent.authMethods.find(({ id }) => id === method);
  if (offered === undefined || offered.type === 'terminal')
    return fail(state, authFailure(state.agent, unusable(method, offered)), out);
  callAgent(state, { type: 'authenticate', method }, AGENT_METHODS.authenticate, { methodId: method }, out);
}

function wrongVersion({ protocolVersion }: JsonObject) {
  const spoken =
    typeof protocolVersion === 'number'
      ? `version ${protocolVersion}`
      : `no version (${show(protocolVersion)})`;
  return {
    message: `The agent speaks ${spoken} of the Agent Client Protocol, and this host speaks version ${PROTOCOL_VERSION} alone.`,
    code: 'protocol-version',
  };
}

function unusable(method: string, offered: JsonObject | undefined): string {
  return offered === undefined
    ? `The agent does not offer the login "${method}".`
    : `The login "${method}" takes place in a terminal: run the agent's program there.`;
}

function readAgent(result: JsonObject): KnownAgent {
  const info = objectOf(result.agentInfo);
  const meta = objectOf(result._meta);
  return {
    name: stringOf(info.title) ?? stringOf(info.name) ?? 'the agent',
    version: stringOf(info.version),
    capabilities: objectOf(result.agentCapabilities),
    authMethods: listOf(result.authMethods).map(objectOf),
    canSteer: objectOf(meta.steering).supported === true,
    meta: Object.keys(meta).length === 0 ? undefined : meta,
  };
}

/** Reads the answer to `authenticate`. */
export function noteAuthenticated(
  state: AcpHostState,
  method: string,
  error: RpcError | undefined,
  out: HostEffect[],
): void {
  if (error === undefined) return becomeReady(state, out);
  const { message } = readFailure(error);
  fail(state, authFailure(state.agent, `The login "${method}" has failed: ${message}`), out);
}

function becomeReady(state: AcpHostState, out: HostEffect[]): void {
  out.push({ type: 'timer', name: 'start', ms: undefined });
  state.stage = 'ready';
  if (state.session !== undefined) conversationOf(state, state.session).isAhead = true;
}

/** The program has written our `initialize` back. */
export function failEcho(state: AcpHostState, out: HostEffect[]): void {
  fail(state, echoFailure('the Agent Client Protocol'), out);
}

/** The process has not answered in time. */
export function failStart(state: AcpHostState, out: HostEffect[]): void {
  const secs = state.settings.startTimeoutSecs;
  fail(state, { message: `The agent was not ready within ${secs} s.`, code: 'start-timeout' }, out);
}

function fail(state: AcpHostState, failure: Parameters<typeof failProcess>[1], out: HostEffect[]): void {
  out.push({ type: 'timer', name: 'start', ms: undefined });
  failProcess(state, failure, out);
}
