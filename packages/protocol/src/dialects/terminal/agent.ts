import { isObject, parseJson } from '../../framing/json.ts';
import { failureOf, owesWords } from '../../model/ending.ts';
import type { End, Event, Message, ToolResult } from '../../model/event.ts';
import { faultEvent } from '../../model/fault.ts';
import { createPreview, type Gathered, gatherDelta, takeGathered } from '../../model/gathered.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { attachmentAt, withAddresses } from '../../model/media.ts';
import { createTurn, type SessionRef, type Turn } from '../../model/turn.ts';
import type { AgentContext, AgentSide, Request } from '../dialect.ts';
import { carried } from './carried.ts';

/** What an agent process remembers while it answers. */
export interface TerminalAgentState {
  readonly context: AgentContext;
  /** Deltas of a message that has not come yet. */
  readonly preview: Gathered;
  answered: boolean;
}

export const terminalAgent: AgentSide<TerminalAgentState> = {
  recognises: isEnvelope,
  initial: (context: AgentContext) => ({
    context,
    preview: createPreview(),
    answered: false,
  }),
  begin: () => {},
  readsInput: () => true,
  step(state, line, out) {
    if (state.answered || line.trim() === '') return;
    state.answered = true;
    out.push(readEnvelope(line, state.context));
  },
  finish(state, out) {
    if (state.answered) return;
    out.push(faultEvent('malformed-frame', 'Input ended before the envelope came.'));
  },
  encode,
  exitCode,
};

/** Whether a JSON object looks like an envelope of this dialect. */
function isEnvelope(value: JsonValue): value is JsonObject & { readonly text: string } {
  return isObject(value) && typeof value.version === 'number' && typeof value.text === 'string';
}

function readEnvelope(line: string, context: AgentContext): Request {
  const parsed = parseJson(line);
  if (!parsed.ok) return { type: 'fault', fault: parsed.fault };
  if (!isEnvelope(parsed.value)) {
    return faultEvent('malformed-frame', 'An envelope needs `version` and `text`.', line);
  }
  if (parsed.value.version !== 1) {
    return faultEvent('malformed-frame', 'Only version 1 of the envelope is understood.', line);
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

/** Where an envelope does not say which conversation it belongs to, it must not be taken for somebody else's. */
function sessionOf(
  { session_key: key, channel, chat_id: chatId }: JsonObject,
  { newSessionKey }: AgentContext,
): Partial<SessionRef> {
  if (typeof key === 'string' && key !== '') return { key };
  if (typeof chatId !== 'string' || chatId === '')
    return { ...(newSessionKey && { key: newSessionKey() }), lasts: 'turn' };
  return { key: `${typeof channel === 'string' ? channel : ''}:${chatId}` };
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

/** A host says the exit code to the user: one that has been said already is not to be another. */
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
