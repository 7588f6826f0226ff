import { readFailure } from '../../codex-common/failure.ts';
import type { HostEffect } from '../../contract/host-side.ts';
import { listOf, objectOf, stringOf } from '../../framing/narrow.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { failProcess, logEvent } from '../../rpc-host/state.ts';
import { readMcpServers } from './mcp-servers.ts';
import { readValues, tellOptions } from './options.ts';
import { type CodexHostState, type Conversation, callCodex } from './state.ts';
import { AGENT_METHODS } from './wire.ts';

/** How a thread is opened. */
type How = 'start' | 'resume' | 'fork';

/** Opens the thread of a conversation. A new conversation may go on with an older thread, or with a copy of it. */
export function openThread(state: CodexHostState, conversation: Conversation, out: HostEffect[]): void {
  const { resume, continue: goesOn, startTimeoutSecs } = state.settings;
  const { resumed, key, sessionId, lost } = conversation;
  conversation.stage = 'opening';
  conversation.isAhead = false;
  out.push({ type: 'timer', name: `open:${key}`, ms: startTimeoutSecs * 1000 });
  if (resumed !== undefined) return openAs(state, conversation, 'resume', out);
  const isFirst = sessionId === undefined && lost.size === 0;
  if (isFirst && resume !== undefined) return goOn(state, conversation, resume, out);
  if (!isFirst || !goesOn) return openAs(state, conversation, 'start', out);
  const params = { cwd: state.workspace, limit: 1 };
  callCodex(state, { type: 'list', key }, AGENT_METHODS.listThreads, params, out);
}

function goOn(state: CodexHostState, conversation: Conversation, id: string, out: HostEffect[]): void {
  conversation.resumed = id;
  openAs(state, conversation, state.settings.fork ? 'fork' : 'resume', out);
}

/** Reads the answer to `thread/list`: the newest thread of the directory. */
export function noteThreads(
  state: CodexHostState,
  conversation: Conversation,
  answer: JsonValue,
  out: HostEffect[],
): void {
  const [newest] = listOf(objectOf(answer).data).map(objectOf);
  const id = stringOf(newest?.id);
  if (id === undefined) openAs(state, conversation, 'start', out);
  else goOn(state, conversation, id, out);
}

const METHODS: Readonly<Record<How, string>> = {
  start: AGENT_METHODS.startThread,
  resume: AGENT_METHODS.resumeThread,
  fork: AGENT_METHODS.forkThread,
};

function openAs(state: CodexHostState, conversation: Conversation, how: How, out: HostEffect[]): void {
  const { key, resumed, queue } = conversation;
  const servers = readMcpServers([state.settings.mcpServers, queue[0]?.turn.extensions?.mcp_servers]);
  conversation.servers = JSON.stringify(servers);
  const id = how === 'start' || resumed === undefined ? {} : { threadId: resumed, excludeTurns: true };
  const params = { ...id, ...threadParams(state, servers, how) };
  callCodex(state, { type: 'open', key, how }, METHODS[how], params, out);
}

function threadParams({ settings, workspace }: CodexHostState, servers: JsonObject, how: How): JsonObject {
  const { model, modelProvider, approvalPolicy, approvalsReviewer, sandbox, ephemeral } = settings;
  const { baseInstructions, developerInstructions } = settings;
  const config = configOf(settings, servers);
  return {
    cwd: workspace,
    ...(model === undefined ? {} : { model }),
    ...(modelProvider === undefined ? {} : { modelProvider }),
    ...(approvalPolicy === undefined ? {} : { approvalPolicy }),
    approvalsReviewer,
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(Object.keys(config).length === 0 ? {} : { config }),
    ...(baseInstructions === undefined ? {} : { baseInstructions }),
    ...(developerInstructions === undefined ? {} : { developerInstructions }),
    ...(ephemeral && how !== 'resume' ? { ephemeral } : {}),
  };
}

/** Keys of `config.toml` for one thread. */
function configOf(
  { effort, addDirs, networkAccess }: CodexHostState['settings'],
  servers: JsonObject,
): JsonObject {
  const sandbox = {
    ...(addDirs.length === 0 ? {} : { writable_roots: addDirs }),
    ...(networkAccess === undefined ? {} : { network_access: networkAccess }),
  };
  return {
    ...(effort === undefined ? {} : { model_reasoning_effort: effort }),
    ...(Object.keys(sandbox).length === 0 ? {} : { sandbox_workspace_write: sandbox }),
    ...(Object.keys(servers).length === 0 ? {} : { mcp_servers: servers }),
  };
}

/** Reads the answer to the request that opens a thread. */
export function noteOpened(
  state: CodexHostState,
  conversation: Conversation,
  how: How,
  answer: JsonValue,
  error: JsonObject | undefined,
  out: HostEffect[],
): void {
  if (error !== undefined) return noteRefused(state, conversation, how, error, out);
  const result = objectOf(answer);
  const { id, name } = objectOf(result.thread);
  if (typeof id !== 'string' || id === '') {
    const message = 'Codex has opened a thread without an id.';
    return failOpening(conversation, { message, code: 'protocol' }, out);
  }
  conversation.sessionId = id;
  conversation.resumed = id;
  conversation.stage = 'open';
  conversation.refused.clear();
  out.push({ type: 'timer', name: `open:${conversation.key}`, ms: undefined });
  readValues(conversation, result);
  noteTitle(conversation, name);
  tellOptions(state, conversation, out);
}

/** A name that the thread has already is told to its next turn. */
function noteTitle(conversation: Conversation, name: JsonValue | undefined): void {
  if (typeof name !== 'string' || name === '' || name === conversation.title) return;
  conversation.title = name;
  conversation.notes.push({ type: 'session-info', title: name });
}

/** Messages of the error for an unknown `threadId`. */
const UNKNOWN_THREAD = /no rollout found|thread not found|invalid (session|thread) id/i;

function noteRefused(
  state: CodexHostState,
  conversation: Conversation,
  how: How,
  error: JsonObject,
  out: HostEffect[],
): void {
  const { resumed, lost, notes } = conversation;
  const failure = readFailure(error);
  if (how === 'start' || resumed === undefined || !UNKNOWN_THREAD.test(failure.message))
    return failOpening(conversation, failure, out);
  const text = `The agent no longer knows the session ${resumed}: a new conversation has begun. ${failure.message}`;
  notes.push({ type: 'log', level: 'warning', text, source: 'host' });
  lost.add(resumed);
  conversation.resumed = undefined;
  conversation.sessionId = undefined;
  openAs(state, conversation, 'start', out);
}

/** Ends the inputs that wait for the thread. The next input tries again. */
function failOpening(conversation: Conversation, failure: Conversation['failure'], out: HostEffect[]): void {
  out.push({ type: 'timer', name: `open:${conversation.key}`, ms: undefined });
  conversation.stage = 'closed';
  conversation.failure = conversation.queue.length > 0 ? failure : undefined;
}

/** The program has not opened the thread in time: a process with this thread alone is given up. */
export function failLateOpening(state: CodexHostState, conversation: Conversation, out: HostEffect[]): void {
  if (conversation.stage !== 'opening') return;
  const secs = state.settings.startTimeoutSecs;
  const failure = { message: `Codex has opened no thread within ${secs} s.`, code: 'start-timeout' };
  if (state.settings.share) failOpening(conversation, failure, out);
  else failProcess(state, failure, out);
}

/** Says once that the servers of a turn differ from those of its thread, which has started them already. */
export function checkServers(
  { settings }: CodexHostState,
  conversation: Conversation,
  given: JsonValue | undefined,
): void {
  if (given === undefined || given === null) return;
  const servers = JSON.stringify(readMcpServers([settings.mcpServers, given]));
  if (servers === conversation.servers) return;
  conversation.servers = servers;
  const text =
    'Codex starts MCP servers with a thread: those of this turn count when the thread is opened anew.';
  conversation.notes.push(logEvent('warning', text));
}
