import type { HostEffect } from '../../contract/host-side.ts';
import { listOf, objectOf, stringOf } from '../../framing/narrow.ts';
import type { PlanStep } from '../../model/event.ts';
import { faultEvent } from '../../model/fault.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { findConversation, logEvent, tell, tellCurrent } from '../../rpc-host/state.ts';
import { readChunk } from './host-messages.ts';
import { readOptionUpdate } from './host-options.ts';
import type { AcpHostState, Conversation, RunningTurn } from './host-state.ts';
import { readTool } from './host-tools.ts';
import { readUsageUpdate } from './host-usage.ts';

type Reader = (
  state: AcpHostState,
  conversation: Conversation,
  update: JsonObject,
  out: HostEffect[],
) => void;

type TurnReader = (
  conversation: Conversation,
  turn: RunningTurn,
  update: JsonObject,
  out: HostEffect[],
) => void;

/** Updates about the session, which come at any time. */
const READERS: Readonly<Record<string, Reader>> = {
  available_commands_update: readOptionUpdate,
  config_option_update: readOptionUpdate,
  current_mode_update: readOptionUpdate,
  session_info_update: readTitle,
  usage_update: (_state, conversation, update, out) => readUsageUpdate(conversation, update, out),
  notice: readNotice,
  compaction_update: readCompaction,
  compaction_summary_chunk: () => undefined,
};

/** Updates about the turn. */
const TURN_READERS: Readonly<Record<string, TurnReader>> = {
  agent_message_chunk: (conversation, turn, update, out) =>
    readChunk(conversation, turn, 'output', update, out),
  agent_thought_chunk: (conversation, turn, update, out) =>
    readChunk(conversation, turn, 'thinking', update, out),
  tool_call: readTool,
  tool_call_update: readTool,
  plan: readPlan,
  // An echo of our own prompt.
  user_message_chunk: () => undefined,
};

/** Updates that are kept for a `session/new` without an answer. More come from a broken agent only. */
const MOST_EARLY = 100;

/** A `session/update`. */
export function readUpdate(state: AcpHostState, params: JsonObject, out: HostEffect[]): void {
  const { sessionId } = params;
  const update = objectOf(params.update);
  const conversation = findConversation(state, sessionId);
  if (conversation !== undefined) return applyUpdate(state, conversation, update, out);
  if (typeof sessionId === 'string' && isOpening(state)) {
    if (state.early.length < MOST_EARLY) state.early.push({ sessionId, update });
  } else reportUnknown(state, 'an update of a session that is not open', params, out);
}

function isOpening({ calls }: AcpHostState): boolean {
  for (const call of calls.values()) if (call.type === 'open') return true;
  return false;
}

/** Reads the updates that came before the answer which names their session. */
export function applyEarly(state: AcpHostState, conversation: Conversation, out: HostEffect[]): void {
  const early = state.early.splice(0);
  for (const one of early) {
    if (one.sessionId === conversation.sessionId) applyUpdate(state, conversation, one.update, out);
    else state.early.push(one);
  }
}

function applyUpdate(
  state: AcpHostState,
  conversation: Conversation,
  update: JsonObject,
  out: HostEffect[],
): void {
  const kind = stringOf(update.sessionUpdate) ?? '';
  const { stage, turn, key } = conversation;
  if (stage === 'settling') out.push({ type: 'timer', name: `settle:${key}`, ms: state.settings.settleMs });
  if (Object.hasOwn(READERS, kind)) READERS[kind]?.(state, conversation, update, out);
  else if (!Object.hasOwn(TURN_READERS, kind))
    reportUnknown(
      state,
      kind === '' ? 'an update without a kind' : `an update of the kind ${kind}`,
      update,
      out,
    );
  // Before a session is open, the agent repeats its history.
  else if (stage !== 'open') return;
  else if (turn === undefined) reportLate(conversation, kind, update, out);
  else TURN_READERS[kind]?.(conversation, turn, update, out);
}

/** One fault for each kind: agents add kinds, and repeat them. */
function reportUnknown(state: AcpHostState, what: string, frame: JsonObject, out: HostEffect[]): void {
  const { unknown } = state;
  if (unknown.has(what) || unknown.size > 100) return;
  unknown.add(what);
  tellCurrent(state, faultEvent('unknown-frame', `The agent sent ${what}.`, JSON.stringify(frame)), out);
}

/** Text after the end of its turn is lost: the operator is told once for each turn. */
function reportLate(conversation: Conversation, kind: string, update: JsonObject, out: HostEffect[]): void {
  if (kind === 'user_message_chunk' || conversation.isLateTold) return;
  conversation.isLateTold = true;
  const message = `The agent sent ${kind} while no turn was running.`;
  tell(conversation, faultEvent('late-frame', message, JSON.stringify(update)), out);
}

const STATUS: Readonly<Record<string, PlanStep['status']>> = {
  pending: 'pending',
  in_progress: 'running',
  completed: 'done',
};

function readPlan(
  conversation: Conversation,
  _turn: RunningTurn,
  update: JsonObject,
  out: HostEffect[],
): void {
  const steps = listOf(update.entries).flatMap((entry): PlanStep[] => {
    const { content, status, priority } = objectOf(entry);
    if (typeof content !== 'string') return [];
    const known = typeof status === 'string' && Object.hasOwn(STATUS, status) ? STATUS[status] : undefined;
    return [{ text: content, status: known ?? 'pending', ...priorityOf(priority) }];
  });
  tell(conversation, { type: 'plan', steps }, out);
}

function priorityOf(value: JsonValue | undefined): Pick<PlanStep, 'priority'> {
  return value === 'high' || value === 'medium' || value === 'low' ? { priority: value } : {};
}

function readTitle(
  _state: AcpHostState,
  conversation: Conversation,
  { title }: JsonObject,
  out: HostEffect[],
): void {
  if (typeof title !== 'string' || title === '' || title === conversation.title) return;
  conversation.title = title;
  tell(conversation, { type: 'session-info', title }, out);
}

function readNotice(
  _state: AcpHostState,
  conversation: Conversation,
  { severity, title, description }: JsonObject,
  out: HostEffect[],
): void {
  const text = [title, description].filter((part) => typeof part === 'string' && part !== '').join('\n');
  if (text === '') return;
  const isBad = severity === 'warning' || severity === 'error';
  tellProgress(conversation, text, isBad ? 'warning' : 'info', out);
}

function readCompaction(
  _state: AcpHostState,
  conversation: Conversation,
  { status, error }: JsonObject,
  out: HostEffect[],
): void {
  if (status === 'in_progress')
    tellProgress(
      conversation,
      'The conversation is being summarised, so that it fits the context.',
      'info',
      out,
    );
  if (status !== 'failed') return;
  const why = stringOf(error) ?? 'The agent gives no reason.';
  tellProgress(conversation, `The conversation could not be summarised. ${why}`, 'warning', out);
}

/** Status lines outside of turns are for the operator. */
function tellProgress(
  conversation: Conversation,
  text: string,
  level: 'info' | 'warning',
  out: HostEffect[],
): void {
  if (conversation.turn === undefined) tell(conversation, logEvent(level, text), out);
  else tell(conversation, { type: 'progress', text }, out);
}
