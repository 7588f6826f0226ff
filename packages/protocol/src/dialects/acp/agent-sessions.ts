import type { AgentEffect, AgentInput, HistoryEntry } from '../../contract/agent-side.ts';
import { listOf, objectOf, stringOf } from '../../framing/narrow.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { SessionRef } from '../../model/turn.ts';
import { LINE_ERROR_CODES, rpcFailure } from './agent-errors.ts';
import {
  configOptions,
  currentMode,
  sessionFields,
  setMode,
  setOption,
  tellCommands,
  tellMode,
} from './agent-options.ts';
import {
  type AcpAgentState,
  type AgentSession,
  createOpenTurn,
  type Opening,
  type RpcId,
  respond,
  respondError,
} from './agent-state.ts';
import { linkTo, newMessageId, tellChunk, tellEvent } from './agent-updates.ts';
import { AGENT_METHODS, ERROR_CODES } from './wire.ts';

type Input<Type extends AgentInput['type']> = Extract<AgentInput, { type: Type }>;

/** Opens a session. It is answered when the surroundings are ready for it. */
export function openSession(
  state: AcpAgentState,
  { rpcId, method }: Opening,
  params: JsonObject,
  out: AgentEffect[],
): void {
  const cwd = stringOf(params.cwd);
  if (cwd === undefined || (!cwd.startsWith('/') && !/^[a-zA-Z]:[\\/]/.test(cwd)))
    return respondError(rpcId, invalid('`cwd` must be an absolute path.'), out);
  const key = method === 'new' ? newKey(state) : stringOf(params.sessionId);
  if (key === undefined || key === '')
    return respondError(rpcId, invalid('`sessionId` must be a string.'), out);
  if (state.openings.has(key))
    return respondError(
      rpcId,
      { code: LINE_ERROR_CODES.invalidRequest, message: `${key} is being opened.` },
      out,
    );
  if (method !== 'new' && !mayBeKnown(state, key)) return respondError(rpcId, noSession(key), out);
  const session = state.sessions.get(key) ?? createSession(state, key, cwd, params, method !== 'new');
  state.sessions.set(key, session);
  state.openings.set(key, { rpcId, method });
  out.push({
    type: 'open-session',
    session: refOf(session),
    workspace: cwd,
    extensions: session.extensions,
    known: method !== 'new',
    replay: method === 'load',
  });
}

/** A name in the form in which this agent gives them, perhaps in another process. */
const OWN_KEY = /^(?:new-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|session-\d+)$/;

/** Surroundings that keep what was said know their sessions; others have a session as soon as it has its first turn. */
function mayBeKnown({ context, sessions }: AcpAgentState, key: string): boolean {
  return context.keepsHistory === true || sessions.has(key) || OWN_KEY.test(key);
}

function newKey(state: AcpAgentState): string {
  return state.context.newSessionKey?.() ?? `session-${++state.keys}`;
}

function createSession(
  state: AcpAgentState,
  key: string,
  workspace: string,
  { mcpServers, _meta: meta }: JsonObject,
  isKnown: boolean,
): AgentSession {
  const servers = listOf(mcpServers);
  return {
    key,
    extensions: {
      workspace,
      ...(servers.length === 0 ? {} : { mcp_servers: servers }),
      ...(meta === undefined || meta === null ? {} : { meta }),
    },
    agentId: undefined,
    isOpen: false,
    options: state.options,
    commands: state.commands,
    chosen: {},
    idSuffix: isKnown ? state.idSuffix : '',
    messages: 0,
    callIds: new Set(),
  };
}

/** The session as a turn names it, with the values that the client has set. */
export function refOf({ key, agentId, chosen }: AgentSession): SessionRef {
  return {
    key,
    ...(agentId === undefined ? {} : { agentId }),
    ...(Object.keys(chosen).length === 0 ? {} : { options: chosen }),
  };
}

/** Answers the request that opened the session. History comes before the answer, everything else after it. */
export function finishOpening(
  state: AcpAgentState,
  input: Input<'session-opened'>,
  out: AgentEffect[],
): void {
  const { sessionKey: key, failure, history } = input;
  const opening = state.openings.get(key);
  const session = state.sessions.get(key);
  if (opening === undefined || session === undefined) return;
  state.openings.delete(key);
  if (failure !== undefined) {
    if (!session.isOpen) state.sessions.delete(key);
    return respondError(opening.rpcId, rpcFailure(failure), out);
  }
  session.isOpen = true;
  if (opening.method === 'load') replay(state, session, history ?? [], out);
  const id = opening.method === 'new' ? { sessionId: key } : {};
  respond(opening.rpcId, { ...id, ...sessionFields(session, state.client) }, out);
  tellCommands(session, out);
}

/** Says what was said before, as the updates that a client has seen then. */
function replay(
  state: AcpAgentState,
  session: AgentSession,
  history: readonly HistoryEntry[],
  out: AgentEffect[],
): void {
  const turn = createOpenTurn('', session, undefined);
  for (const entry of history) {
    if (entry.type === 'event') {
      if (entry.event.type !== 'session' && entry.event.type !== 'options')
        tellEvent(state, turn, entry.event, out);
      continue;
    }
    Object.assign(turn, { messageId: undefined, thoughtId: undefined, endsMessage: false });
    turn.calls.clear();
    const blocks = entry.text === '' ? [] : [{ type: 'text', text: entry.text }];
    const links = entry.attachments.map(linkTo).filter((link) => link !== undefined);
    const messageId = newMessageId(session);
    for (const block of [...blocks, ...links])
      tellChunk(session, 'user_message_chunk', block, messageId, out);
  }
}

/** Asks the surroundings which sessions there are. */
export function listSessions(
  state: AcpAgentState,
  rpcId: RpcId,
  params: JsonObject,
  out: AgentEffect[],
): void {
  const listId = `list-${++state.lists}`;
  state.listings.set(listId, rpcId);
  const workspace = stringOf(params.cwd);
  const cursor = stringOf(params.cursor);
  out.push({
    type: 'list-sessions',
    listId,
    ...(workspace === undefined ? {} : { workspace }),
    ...(cursor === undefined ? {} : { cursor }),
  });
}

/** Answers `session/list`. A session needs a directory there: without its own it has that of the process. */
export function finishListing(
  state: AcpAgentState,
  input: Input<'sessions-listed'>,
  out: AgentEffect[],
): void {
  const rpcId = state.listings.get(input.listId);
  if (rpcId === undefined) return;
  state.listings.delete(input.listId);
  const sessions = input.sessions.map(({ key, title, workspace, updatedAt }) => ({
    sessionId: key,
    cwd: workspace ?? state.context.environment.PWD ?? '/',
    ...(title === undefined ? {} : { title }),
    ...(updatedAt === undefined ? {} : { updatedAt }),
  }));
  respond(rpcId, { sessions, ...(input.next === undefined ? {} : { nextCursor: input.next }) }, out);
}

/** Sets a mode or an option for the turns to come. */
export function setForSession(
  state: AcpAgentState,
  rpcId: RpcId,
  method: string,
  params: JsonObject,
  out: AgentEffect[],
): void {
  const session = findSession(state, rpcId, params, out);
  if (session === undefined) return;
  const before = currentMode(session);
  const isMode = method === AGENT_METHODS.setMode;
  const { value } = params;
  const problem = isMode
    ? setMode(session, stringOf(params.modeId) ?? '')
    : setOption(
        session,
        stringOf(params.configId) ?? '',
        typeof value === 'boolean' ? value : (stringOf(value) ?? ''),
      );
  if (problem !== undefined) return respondError(rpcId, invalid(problem), out);
  respond(rpcId, isMode ? {} : { configOptions: configOptions(session, state.client) }, out);
  tellMode(session, before, out);
}

/** The open session of a request; without one the request is answered with an error. */
export function findSession(
  { sessions }: AcpAgentState,
  rpcId: RpcId,
  { sessionId }: JsonObject,
  out: AgentEffect[],
): AgentSession | undefined {
  const key = stringOf(sessionId);
  if (key === undefined) {
    respondError(rpcId, invalid('`sessionId` must be a string.'), out);
    return undefined;
  }
  const session = sessions.get(key);
  if (session === undefined) respondError(rpcId, noSession(key), out);
  return session;
}

function noSession(key: string): { code: number; message: string; data: JsonObject } {
  const message = 'There is no such session.';
  return { code: ERROR_CODES.notFound, message, data: { sessionId: key.slice(0, 200) } };
}

export function invalid(message: string): { code: number; message: string } {
  return { code: ERROR_CODES.invalidParams, message };
}

/** Reads what a client can do from `clientCapabilities`. */
export function readFeatures({ clientCapabilities }: JsonObject): AcpAgentState['client'] {
  const { session, elicitation } = objectOf(clientCapabilities);
  const { notices, configOptions: options } = objectOf(session);
  return {
    notices: isNamed(notices),
    booleans: isNamed(objectOf(options).boolean),
    forms: isNamed(objectOf(elicitation).form),
  };
}

function isNamed(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && value !== false;
}
