import type { AgentEffect } from '../../contract/agent-side.ts';
import type { Cost, Delta, Event, Message, Plan, Progress, Thinking, Usage } from '../../model/event.ts';
import { gatherDelta, takeGathered } from '../../model/gathered.ts';
import type { JsonObject } from '../../model/json.ts';
import { baseName } from '../../model/media.ts';
import type { Attachment } from '../../model/turn.ts';
import { tellOptions } from './agent-options.ts';
import { type AcpAgentState, type AgentSession, type OpenTurn, update } from './agent-state.ts';
import { tellCall, tellCallResult, tellCallUpdate } from './agent-tools.ts';

/** Says an event of a turn as updates of its session. `end` is not one of them: it answers the prompt. */
export function tellEvent(state: AcpAgentState, turn: OpenTurn, event: Event, out: AgentEffect[]): void {
  const { session } = turn;
  switch (event.type) {
    case 'delta':
      return tellDelta(turn, event, out);
    case 'message':
      return tellMessage(turn, event, out);
    case 'thinking':
      return tellThinking(turn, event, out);
    case 'progress':
      return tellProgress(state, turn, event, out);
    case 'tool-call':
      turn.endsMessage = false;
      return tellCall(turn, event, out);
    case 'tool-update':
      return tellCallUpdate(turn, event, out);
    case 'tool-result':
      turn.endsMessage = false;
      return tellCallResult(turn, event, out);
    case 'plan':
      return tellPlan(session, event, out);
    case 'usage':
      turn.usage = event;
      return tellUsage(session, event.usage, event.cost, out);
    case 'session':
      session.agentId = event.id;
      return;
    case 'options':
      return tellOptions(session, event, { client: state.client, inTurn: true }, out);
    case 'session-info':
      return tellTitle(session, event.title, out);
    default:
  }
}

export function tellTitle(session: AgentSession, title: string, out: AgentEffect[]): void {
  update(session, { sessionUpdate: 'session_info_update', title }, out);
}

/** Tells how full the context of the model is. Without its size there is no form for it. */
export function tellUsage(
  session: AgentSession,
  { context_used: used, context_size: size }: Usage,
  cost: Cost | undefined,
  out: AgentEffect[],
): void {
  if (!isCount(used) || !isCount(size)) return;
  const price = cost === undefined ? {} : { cost: { amount: cost.amount, currency: cost.currency } };
  update(session, { sessionUpdate: 'usage_update', used, size, ...price }, out);
}

function isCount(value: number | undefined): value is number {
  return value !== undefined && Number.isSafeInteger(value) && value >= 0;
}

function tellDelta(turn: OpenTurn, delta: Delta, out: AgentEffect[]): void {
  const { kind, text, restart } = delta;
  if (kind === 'thinking') return tellThought(turn, text, out);
  if (restart === true) {
    takeGathered(turn.preview);
    if (text !== '') say(turn, text, out);
    endMessage(turn);
    return;
  }
  if (text === '') return;
  say(turn, text, out);
  gatherDelta(turn.preview, delta);
}

/** Says the part of a message that its deltas have not said. */
function tellMessage(turn: OpenTurn, message: Message, out: AgentEffect[]): void {
  const shown = takeGathered(turn.preview);
  // A log may keep no deltas of a message that was streamed.
  const isSaid = message.streamed === true && shown !== '';
  const goesOn = isSaid || message.text.startsWith(shown);
  if (!goesOn) endMessage(turn);
  const rest = isSaid ? '' : goesOn ? message.text.slice(shown.length) : message.text;
  if (rest !== '') say(turn, rest, out);
  for (const file of message.media) {
    const link = linkTo(file);
    if (link !== undefined) sayBlock(turn, link, out);
  }
  if (message.text !== '' || message.media.length > 0) endMessage(turn);
}

function endMessage(turn: OpenTurn): void {
  if (turn.messageId !== undefined) turn.endsMessage = true;
  turn.messageId = undefined;
}

function say(turn: OpenTurn, text: string, out: AgentEffect[]): void {
  sayBlock(turn, { type: 'text', text }, out);
}

/**
 * Most clients join the chunks of all messages into one text. A blank line, as a message of its own, then divides two
 * messages; clients that follow `messageId` see an empty one.
 */
function sayBlock(turn: OpenTurn, content: JsonObject, out: AgentEffect[]): void {
  const { session } = turn;
  if (turn.endsMessage)
    tellChunk(session, 'agent_message_chunk', { type: 'text', text: '\n\n' }, newMessageId(session), out);
  turn.endsMessage = false;
  turn.thoughtId = undefined;
  turn.messageId ??= newMessageId(session);
  tellChunk(session, 'agent_message_chunk', content, turn.messageId, out);
}

export function tellChunk(
  session: AgentSession,
  sessionUpdate: 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk',
  content: JsonObject,
  messageId: string,
  out: AgentEffect[],
): void {
  update(session, { sessionUpdate, content, messageId }, out);
}

export function newMessageId(session: AgentSession): string {
  return `message-${++session.messages}${session.idSuffix}`;
}

function tellThinking(turn: OpenTurn, { text, streamed }: Thinking, out: AgentEffect[]): void {
  if (streamed !== true) turn.thoughtId = undefined;
  if (turn.thoughtId === undefined) tellThought(turn, text, out);
  turn.thoughtId = undefined;
}

function tellThought(turn: OpenTurn, text: string, out: AgentEffect[]): void {
  if (text === '') return;
  turn.thoughtId ??= newMessageId(turn.session);
  tellChunk(turn.session, 'agent_thought_chunk', { type: 'text', text }, turn.thoughtId, out);
}

/** A `notice` is shown as it is; clients without it show thoughts apart from the answer. */
function tellProgress(
  { client }: AcpAgentState,
  { session }: OpenTurn,
  { text }: Progress,
  out: AgentEffect[],
): void {
  if (text.trim() === '') return;
  if (client.notices) return update(session, { sessionUpdate: 'notice', severity: 'info', title: text }, out);
  const content = { type: 'text', text: `${text}\n` };
  tellChunk(session, 'agent_thought_chunk', content, newMessageId(session), out);
}

const STEP_STATUS = { pending: 'pending', running: 'in_progress', done: 'completed' } as const;

function tellPlan(session: AgentSession, { steps }: Plan, out: AgentEffect[]): void {
  const entries = steps.map(({ text, status, priority }) => ({
    content: text,
    priority: priority ?? 'medium',
    status: STEP_STATUS[status],
  }));
  update(session, { sessionUpdate: 'plan', entries }, out);
}

/** The content block for a file: its address, or its bytes where the address holds them. */
export function linkTo({ path, url, name }: Attachment): JsonObject | undefined {
  const uri = path === undefined ? url : fileAddress(path);
  if (uri === undefined) return undefined;
  return embedded(uri) ?? { type: 'resource_link', uri, name: name ?? baseName(path ?? uri) };
}

function embedded(uri: string): JsonObject | undefined {
  const found = /^data:((image|audio)\/[^;,]+);base64,/.exec(uri);
  if (found === null) return undefined;
  const [head, mimeType = '', type = ''] = found;
  return { type, mimeType, data: uri.slice(head.length) };
}

function fileAddress(path: string): string {
  return `file://${path.split('/').map(encodeURIComponent).join('/')}`;
}
