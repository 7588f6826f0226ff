import type { HostEffect } from '../../contract/host-side.ts';
import type { RpcError } from '../../framing/json-rpc.ts';
import { listOf, objectOf, stringOf } from '../../framing/narrow.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { failProcess, logEvent } from '../../rpc-host/state.ts';
import { authFailure, isAuthError, LOGIN_WANTED, readFailure } from './host-failure.ts';
import { readOffer, tellOffer } from './host-options.ts';
import { type AcpHostState, type Conversation, callAgent } from './host-state.ts';
import { applyEarly } from './host-updates.ts';
import { readMcpServers } from './mcp-servers.ts';
import { AGENT_METHODS, ERROR_CODES } from './wire.ts';

/** How a session is opened. */
type How = 'new' | 'load' | 'resume';

/** Opens the session of a conversation: goes on with an earlier one, where there is one and the agent can. */
export function openSession(state: AcpHostState, conversation: Conversation, out: HostEffect[]): void {
  const { resumed, key, sessionId } = conversation;
  conversation.stage = 'opening';
  conversation.isAhead = false;
  out.push({ type: 'timer', name: `open:${key}`, ms: state.settings.startTimeoutSecs * 1000 });
  if (resumed !== undefined) return goOn(state, conversation, resumed, out);
  const isFirst = sessionId === undefined && conversation.lost.size === 0;
  if (!state.settings.continue || !isFirst || !sessionCan(state, 'list'))
    return openAs(state, conversation, 'new', out);
  const params = { cwd: state.workspace };
  callAgent(state, { type: 'list', key }, AGENT_METHODS.listSessions, params, out);
}

function goOn(state: AcpHostState, conversation: Conversation, id: string, out: HostEffect[]): void {
  if (sessionCan(state, 'resume')) return openAs(state, conversation, 'resume', out);
  if (state.agent.capabilities.loadSession === true) return openAs(state, conversation, 'load', out);
  conversation.notes.push(
    logEvent('warning', `The agent cannot go on with the session ${id}: a new one has begun.`),
  );
  loseSession(conversation, id);
  openAs(state, conversation, 'new', out);
}

function loseSession(conversation: Conversation, id: string): void {
  conversation.lost.add(id);
  conversation.resumed = undefined;
  conversation.sessionId = undefined;
}

/** Whether the agent names a capability of sessions. An empty object means yes. */
export function sessionCan({ agent }: AcpHostState, name: string): boolean {
  const capability = objectOf(agent.capabilities.sessionCapabilities)[name];
  return capability !== undefined && capability !== null && capability !== false;
}

const METHODS: Readonly<Record<How, string>> = {
  new: AGENT_METHODS.newSession,
  load: AGENT_METHODS.loadSession,
  resume: AGENT_METHODS.resumeSession,
};

function openAs(state: AcpHostState, conversation: Conversation, how: How, out: HostEffect[]): void {
  const { settings, workspace, agent } = state;
  const { key, resumed, queue, notes } = conversation;
  const given = [settings.mcpServers, queue[0]?.turn.extensions?.mcp_servers];
  const { servers, left } = readMcpServers(given, objectOf(agent.capabilities.mcpCapabilities));
  if (left.length > 0)
    notes.push(logEvent('warning', `The agent cannot connect to these MCP servers: ${left.join(', ')}.`));
  const hasMore = settings.addDirs.length > 0 && sessionCan(state, 'additionalDirectories');
  if (settings.addDirs.length > 0 && !hasMore)
    notes.push(logEvent('warning', 'The agent takes no further directories.'));
  // Known before the answer: the history that `session/load` repeats comes before it.
  conversation.sessionId = how === 'new' ? undefined : resumed;
  const params = {
    ...(how === 'new' || resumed === undefined ? {} : { sessionId: resumed }),
    cwd: workspace,
    mcpServers: servers,
    ...(hasMore ? { additionalDirectories: settings.addDirs } : {}),
    ...(settings.sessionMeta === undefined ? {} : { _meta: settings.sessionMeta }),
  };
  callAgent(state, { type: 'open', key, how }, METHODS[how], params, out);
}

/** Reads the answer to `session/list`, for a conversation that goes on with the newest session of the directory. */
export function noteSessions(
  state: AcpHostState,
  conversation: Conversation,
  answer: JsonValue,
  out: HostEffect[],
): void {
  const sessions = listOf(objectOf(answer).sessions).map(objectOf);
  const here = sessions.filter(
    ({ cwd, sessionId }) => cwd === state.workspace && typeof sessionId === 'string',
  );
  const newest = here.reduce<JsonObject | undefined>(
    (best, one) => (best === undefined || updatedAt(one) > updatedAt(best) ? one : best),
    undefined,
  );
  const id = stringOf(newest?.sessionId);
  conversation.resumed = id;
  if (id === undefined) openAs(state, conversation, 'new', out);
  else goOn(state, conversation, id, out);
}

function updatedAt({ updatedAt: time }: JsonObject): number {
  const at = Date.parse(stringOf(time) ?? '');
  return Number.isNaN(at) ? 0 : at;
}

/** Reads the answer to the request that opens a session. */
export function noteOpened(
  state: AcpHostState,
  conversation: Conversation,
  how: How,
  answer: JsonValue,
  error: RpcError | undefined,
  out: HostEffect[],
): void {
  if (error !== undefined) return noteRefused(state, conversation, how, error, out);
  const result = objectOf(answer);
  const id = how === 'new' ? stringOf(result.sessionId) : conversation.resumed;
  if (id === undefined || id === '') {
    const message = 'The agent has opened a session without an id.';
    return failOpening(conversation, { message, code: 'protocol' }, out);
  }
  const { key, offer } = conversation;
  const { settleMs } = state.settings;
  const settles = how === 'load' && settleMs > 0;
  conversation.sessionId = id;
  conversation.resumed = id;
  conversation.costBefore = how === 'new' ? 0 : conversation.costNow;
  conversation.stage = settles ? 'settling' : 'open';
  offer.refused.clear();
  out.push({ type: 'timer', name: `open:${key}`, ms: undefined });
  if (settles) out.push({ type: 'timer', name: `settle:${key}`, ms: settleMs });
  readOffer(conversation, result);
  applyEarly(state, conversation, out);
  tellOffer(state, conversation, out);
}

function noteRefused(
  state: AcpHostState,
  conversation: Conversation,
  how: How,
  error: RpcError,
  out: HostEffect[],
): void {
  const { resumed } = conversation;
  if (isAuthError(error)) {
    const failure = authFailure(state.agent, LOGIN_WANTED);
    // Another process may find a login that this one does not.
    return state.settings.share ? failOpening(conversation, failure, out) : failProcess(state, failure, out);
  }
  if (how === 'new' || resumed === undefined) return failOpening(conversation, readFailure(error), out);
  const isUnknown = how === 'resume' && error.code === ERROR_CODES.methodNotFound;
  if (isUnknown && state.agent.capabilities.loadSession === true)
    return openAs(state, conversation, 'load', out);
  const text = `The agent no longer knows the session ${resumed}: a new conversation has begun. ${readFailure(error).message}`;
  conversation.notes.push(logEvent('warning', text));
  loseSession(conversation, resumed);
  openAs(state, conversation, 'new', out);
}

/** Ends the inputs that wait for the session. The next input tries again. */
function failOpening(conversation: Conversation, failure: Conversation['failure'], out: HostEffect[]): void {
  out.push({ type: 'timer', name: `open:${conversation.key}`, ms: undefined });
  conversation.stage = 'closed';
  conversation.failure = conversation.queue.length > 0 ? failure : undefined;
}

/** The agent has not opened the session in time: a process with this session alone is given up. */
export function failOpeningLate(state: AcpHostState, conversation: Conversation, out: HostEffect[]): void {
  if (conversation.stage !== 'opening') return;
  const secs = state.settings.startTimeoutSecs;
  const failure = { message: `The agent has opened no session within ${secs} s.`, code: 'start-timeout' };
  if (state.settings.share) failOpening(conversation, failure, out);
  else failProcess(state, failure, out);
}
