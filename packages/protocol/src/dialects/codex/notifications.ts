import { addCounts, readCounts } from '../../codex-common/usage.ts';
import type { HostEffect } from '../../contract/host-side.ts';
import { wordsIn } from '../../framing/error-body.ts';
import { listOf, objectOf, stringOf } from '../../framing/narrow.ts';
import type { PlanStep } from '../../model/event.ts';
import type { JsonObject } from '../../model/json.ts';
import { findConversation, logEvent, tell, tellCurrent } from '../../rpc-host/state.ts';
import { withdrawAsk } from './asks.ts';
import { addDelta, addPart, breakBlock, completeText, textKind } from './blocks.ts';
import { readValues, tellOptions } from './options.ts';
import type { CodexHostState, Conversation, RunningTurn } from './state.ts';
import { addOutput, beginTool, completeTool, updateChange } from './tools.ts';
import { noteCodexId, noteCompleted } from './turns.ts';

type ProcessReader = (state: CodexHostState, params: JsonObject, out: HostEffect[]) => void;
type ThreadReader = (
  state: CodexHostState,
  conversation: Conversation,
  params: JsonObject,
  out: HostEffect[],
) => void;
type TurnReader = (
  conversation: Conversation,
  turn: RunningTurn,
  params: JsonObject,
  out: HostEffect[],
) => void;

/** Notifications about the process. */
const PROCESS_READERS: Readonly<Record<string, ProcessReader>> = {
  'serverRequest/resolved': (state, { requestId }, out) => withdrawAsk(state, requestId, out),
  warning: (state, { message }, out) => warn(state, 'warning', stringOf(message), out),
  guardianWarning: (state, { message }, out) => warn(state, 'warning', stringOf(message), out),
  configWarning: (state, { summary }, out) => warn(state, 'info', stringOf(summary), out),
  'mcpServer/startupStatus/updated': (state, { status, name, error }, out) => {
    if (status !== 'failed') return;
    const why = stringOf(error) ?? 'The program gives no reason.';
    warn(state, 'warning', `The MCP server ${String(name)} has not started. ${why}`, out);
  },
};

/** Notifications about a thread. */
const THREAD_READERS: Readonly<Record<string, ThreadReader>> = {
  'thread/name/updated': (_state, conversation, { threadName: title }, out) => {
    if (typeof title !== 'string' || title === '' || title === conversation.title) return;
    conversation.title = title;
    tell(conversation, { type: 'session-info', title }, out);
  },
  'thread/settings/updated': (state, conversation, { threadSettings }, out) => {
    readValues(conversation, objectOf(threadSettings));
    tellOptions(state, conversation, out);
  },
  'turn/completed': (state, conversation, { turn }, out) => {
    noteCompleted(state, conversation, objectOf(turn), out);
  },
};

/** Notifications about the running turn. All others are ignored: releases add some every month. */
const TURN_READERS: Readonly<Record<string, TurnReader>> = {
  error: readError,
  'item/started': readItemStarted,
  'item/completed': readItemCompleted,
  'item/agentMessage/delta': (conversation, turn, params, out) =>
    addDelta(conversation, turn, 'output', params, out),
  'item/plan/delta': (conversation, turn, params, out) => addDelta(conversation, turn, 'output', params, out),
  'item/reasoning/summaryTextDelta': (conversation, turn, params, out) =>
    addDelta(conversation, turn, 'thinking', params, out),
  'item/reasoning/textDelta': (conversation, turn, params, out) =>
    addDelta(conversation, turn, 'thinking', params, out),
  'item/reasoning/summaryPartAdded': addPart,
  'item/commandExecution/outputDelta': addOutput,
  'item/fileChange/patchUpdated': updateChange,
  'item/mcpToolCall/progress': (conversation, _turn, { message }, out) => {
    if (typeof message === 'string' && message !== '')
      tell(conversation, { type: 'progress', text: message }, out);
  },
  'turn/plan/updated': readPlan,
  'thread/tokenUsage/updated': readTokens,
};

/** Reads a notification. Notifications with another `threadId` or `turnId` have no effect. */
export function readNotification(
  state: CodexHostState,
  method: string,
  params: JsonObject,
  out: HostEffect[],
): void {
  if (Object.hasOwn(PROCESS_READERS, method)) return PROCESS_READERS[method]?.(state, params, out);
  const conversation = findConversation(state, params.threadId);
  if (conversation === undefined) return;
  if (method === 'turn/started')
    return noteCodexId(state, conversation, stringOf(objectOf(params.turn).id), out);
  if (!isOfTurn(conversation, params)) return;
  if (Object.hasOwn(THREAD_READERS, method))
    return THREAD_READERS[method]?.(state, conversation, params, out);
  const { turn } = conversation;
  if (turn !== undefined && Object.hasOwn(TURN_READERS, method))
    TURN_READERS[method]?.(conversation, turn, params, out);
}

/** Whether a notification is of the running turn, or of none. A resumed thread repeats the counts of its last turn. */
function isOfTurn({ turn }: Conversation, params: JsonObject): boolean {
  const codexId = stringOf(params.turnId) ?? stringOf(objectOf(params.turn).id);
  return codexId === undefined || turn?.codexId === codexId;
}

/** Logs a warning once per process: Codex repeats some before every turn. */
function warn(
  state: CodexHostState,
  level: 'info' | 'warning',
  text: string | undefined,
  out: HostEffect[],
): void {
  const { warned } = state;
  if (text === undefined || text === '' || warned.has(text) || warned.size > 100) return;
  warned.add(text);
  tellCurrent(state, logEvent(level, text), out);
}

/** With `willRetry` the turn goes on; else `turn/completed` repeats the `error`. */
function readError(
  conversation: Conversation,
  turn: RunningTurn,
  { error, willRetry }: JsonObject,
  out: HostEffect[],
): void {
  if (willRetry !== true) return;
  breakBlock(conversation, turn, out);
  const { message, additionalDetails: details } = objectOf(error);
  const why = stringOf(details);
  const words = [stringOf(message) ?? 'Trying again.', ...(why === undefined ? [] : [wordsIn(why)])];
  tell(conversation, { type: 'progress', text: words.join(' ') }, out);
}

const COMPACTING = 'The conversation is being summarised, so that it fits the context.';

function readItemStarted(
  conversation: Conversation,
  turn: RunningTurn,
  params: JsonObject,
  out: HostEffect[],
): void {
  const item = objectOf(params.item);
  if (textKind(item) !== undefined) return breakBlock(conversation, turn, out);
  if (item.type === 'contextCompaction') tell(conversation, { type: 'progress', text: COMPACTING }, out);
  else beginTool(conversation, turn, item, out);
}

function readItemCompleted(
  conversation: Conversation,
  turn: RunningTurn,
  params: JsonObject,
  out: HostEffect[],
): void {
  const item = objectOf(params.item);
  const kind = textKind(item);
  if (kind === undefined) completeTool(conversation, turn, item, out);
  else completeText(conversation, turn, kind, item, out);
}

const STATUS: Readonly<Record<string, PlanStep['status']>> = {
  pending: 'pending',
  inProgress: 'running',
  completed: 'done',
};

function readPlan(
  conversation: Conversation,
  _turn: RunningTurn,
  { plan }: JsonObject,
  out: HostEffect[],
): void {
  const steps = listOf(plan).flatMap((value): PlanStep[] => {
    const { step, status } = objectOf(value);
    if (typeof step !== 'string') return [];
    const known = typeof status === 'string' && Object.hasOwn(STATUS, status) ? STATUS[status] : undefined;
    return [{ text: step, status: known ?? 'pending' }];
  });
  tell(conversation, { type: 'plan', steps }, out);
}

/** The counts of one request to the model. A turn has the sum of its requests. */
function readTokens(
  conversation: Conversation,
  turn: RunningTurn,
  { tokenUsage }: JsonObject,
  out: HostEffect[],
): void {
  const { total, last, modelContextWindow: size } = objectOf(tokenUsage);
  const json = JSON.stringify([total, last]);
  if (json === conversation.lastUsage) return;
  conversation.lastUsage = json;
  const { totalTokens: used } = objectOf(last);
  const { context_used: _used, context_size: _size, ...before } = turn.usage;
  turn.usage = {
    ...addCounts(before, readCounts(last)),
    ...(typeof used === 'number' ? { context_used: used } : {}),
    ...(typeof size === 'number' ? { context_size: size } : {}),
  };
  tell(conversation, { type: 'usage', usage: turn.usage }, out);
}
