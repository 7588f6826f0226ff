import type { AgentContext, AgentEffect } from '../../contract/agent-side.ts';
import { createPerTurnAgent, refuse } from '../../contract/per-turn-agent.ts';
import { isObject, parseJson } from '../../framing/json.ts';
import { failureOf, owesWords } from '../../model/ending.ts';
import type { End, Event, Message, ToolResult } from '../../model/event.ts';
import { fault } from '../../model/fault.ts';
import { createPreview, type Gathered, gatherDelta, takeGathered } from '../../model/gathered.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { attachmentAt, withAddresses } from '../../model/media.ts';
import { planText } from '../../model/plan.ts';
import { createTurn, type SessionRef, type Turn } from '../../model/turn.ts';
import { carried } from './carried.ts';

/** The state of an agent process that speaks `terminal`. */
export interface TerminalAgentState {
  readonly context: AgentContext;
  /** Deltas of a message that has not come yet. */
  readonly preview: Gathered;
  answered: boolean;
}

export const terminalAgent = createPerTurnAgent<TerminalAgentState>({
  recognises: isEnvelope,
  recognisesHalf: (line) => /"version"\s*:/.test(line),
  initial: (context: AgentContext) => ({
    context,
    preview: createPreview(),
    answered: false,
  }),
  readsInput: () => true,
  line(state, line, out) {
    if (state.answered || line.trim() === '') return;
    state.answered = true;
    out.push(readEnvelope(line, state.context));
  },
  inputEnd(state, out) {
    if (state.answered) return;
    out.push(refuse(fault('malformed-frame', 'Input ended before the envelope came.')));
  },
  encode,
  exitCode,
});

/** Whether a JSON object looks like an envelope of this dialect. */
function isEnvelope(value: JsonValue): value is JsonObject & { readonly text: string } {
  return isObject(value) && typeof value.version === 'number' && typeof value.text === 'string';
}

function readEnvelope(line: string, context: AgentContext): AgentEffect {
  const parsed = parseJson(line);
  if (!parsed.ok) return refuse(parsed.fault);
  if (!isEnvelope(parsed.value)) {
    return refuse(fault('malformed-frame', 'An envelope needs `version` and `text`.'));
  }
  if (parsed.value.version !== 1) {
    return refuse(fault('malformed-frame', 'Only version 1 of the envelope is understood.'));
  }
  return { type: 'turn', turn: toTurn(parsed.value, context) };
}

function toTurn(envelope: JsonObject & { readonly text: string }, context: AgentContext): Turn {
  const { text, media, channel, chat_id: chatId } = envelope;
  const paths = Array.isArray(media) ? media.filter((path) => typeof path === 'string') : [];
  return createTurn({
    id: context.nextTurnId(),
    text,
    attachments: paths.map(attachmentAt),
    session: sessionOf(envelope, context),
    ...(typeof channel === 'string' ? { channel } : {}),
    ...(typeof chatId === 'string' ? { chatId } : {}),
    extensions: pick(envelope, ['workspace', 'user_data_dir', 'providers']),
  });
}

/**
 * The session of an envelope. Without `session_key` and `chat_id` it gets a new key, so that it never joins another
 * conversation.
 */
function sessionOf(
  { session_key: key, channel, chat_id: chatId }: JsonObject,
  { newSessionKey }: AgentContext,
): Partial<SessionRef> {
  if (typeof key === 'string' && key !== '') return { key };
  if (typeof chatId !== 'string' || chatId === '')
    return { ...(newSessionKey && { key: newSessionKey() }), lasts: 'turn' };
  return { key: keyOf(typeof channel === 'string' ? channel : '', chatId) };
}

/** Chat ids often hold colons. `:` and `\` in the channel are escaped, so that no two pairs share a key. */
function keyOf(channel: string, chatId: string): string {
  return `${channel.replace(/[\\:]/g, '\\$&')}:${chatId}`;
}

function pick(envelope: JsonObject, names: readonly string[]): Record<string, JsonValue> {
  const picked: Record<string, JsonValue> = {};
  for (const name of names) {
    const value = envelope[name];
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}

function encode(state: TerminalAgentState, event: Event): string {
  switch (event.type) {
    case 'delta':
      if (event.kind === 'output') gatherDelta(state.preview, event);
      return '';
    case 'message':
      takeGathered(state.preview);
      return messageFrame(event);
    case 'progress':
      return frame({ type: 'progress', text: event.text });
    case 'plan':
      return frame({ type: 'progress', text: planText(event) });
    case 'log':
      return frame({ type: 'log', text: event.text, level: event.level });
    case 'fault':
      return frame({ type: 'log', text: event.fault.message, level: 'warning' });
    case 'tool-call':
      return frame({ type: 'log', text: `tool ${event.name} ${JSON.stringify(event.input)}`, level: 'info' });
    case 'tool-result':
      return toolResultFrame(event);
    case 'tasks':
      return frame({ type: 'log', text: `tasks ${JSON.stringify(event.tasks)}`, level: 'info' });
    case 'end':
      return unfinished(state) + errorFrame(event);
    default:
      return '';
  }
}

function toolResultFrame({ content, isError }: ToolResult): string {
  return frame({ type: 'log', text: `tool result${isError ? ' (error)' : ''}: ${content}`, level: 'info' });
}

/** Deltas that no message followed are a message. */
function unfinished(state: TerminalAgentState): string {
  const text = takeGathered(state.preview);
  return text === '' ? '' : messageFrame({ type: 'message', text, media: [] });
}

function messageFrame(message: Message): string {
  const { media, others } = carried(message.media);
  const text = withAddresses(message.text, others);
  return frame({ type: 'message', text, ...(media.length > 0 ? { media } : {}) });
}

/** Exits with 1 after an error frame, since a host shows any other exit code to the user in addition. */
function exitCode(end: End): number {
  if (end.outcome === 'success') return 0;
  return owesWords(end) ? 1 : end.exitCode || 1;
}

function errorFrame(end: End): string {
  if (!owesWords(end)) return '';
  const code = end.error?.code ?? (end.outcome === 'error' ? undefined : end.outcome);
  return frame({ type: 'error', text: failureOf(end), ...(code === undefined ? {} : { code }) });
}

function frame(value: JsonObject): string {
  return `${JSON.stringify(value)}\n`;
}
