import { attachmentFrom } from '../../agentproc-common/attachments.ts';
import { carriedId, carriedProblem } from '../../agentproc-common/carried-id.ts';
import { exitCodeOf, sentenceOf } from '../../agentproc-common/outcome.ts';
import { sessionFrom } from '../../agentproc-common/session.ts';
import {
  createStream,
  lastPartial,
  nextPartial,
  type Stream,
  takePreview,
} from '../../agentproc-common/stream.ts';
import type { AgentContext, AgentEffect } from '../../contract/agent-side.ts';
import { createPerTurnAgent, refuse } from '../../contract/per-turn-agent.ts';
import { isObject, parseJson } from '../../framing/json.ts';
import { owesWords } from '../../model/ending.ts';
import type { Delta, End, Event, Message } from '../../model/event.ts';
import { fault } from '../../model/fault.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { writtenOut } from '../../model/media.ts';
import { answerOf, type Permission, type Question } from '../../model/question.ts';
import type { Attachment } from '../../model/turn.ts';
import { addMessage, createWhole, endWith, textOf, type Whole } from '../../model/whole.ts';
import { sessionProblem } from './session-id.ts';

/** The state of an agent process that speaks `agentproc/v4`. */
export interface AgentprocV4AgentState {
  readonly nextTurnId: () => string;
  readonly newSessionKey: AgentContext['newSessionKey'];
  asked: boolean;
  readonly stream: Stream;
  /** A partial was written. A host then hides `result.text`, so that the partials must carry the whole text. */
  streamed: boolean;
  /** Gathers all messages of the turn, because the wire has a single `result`. */
  readonly whole: Whole;
  session: string | undefined;
  /** A frame has carried it. */
  sessionTold: boolean;
  /** The host accepts `permission_request` frames, as long as its end of stdin is open. */
  mayAsk: boolean;
  /** Questions without an answer, by id. */
  readonly asks: Map<string, Question>;
}

export const agentprocV4Agent = createPerTurnAgent<AgentprocV4AgentState>({
  recognises: isTurnLine,
  recognisesHalf: (line) => /"type"\s*:\s*"turn"/.test(line),
  initial: ({ nextTurnId, newSessionKey }) => ({
    nextTurnId,
    newSessionKey,
    asked: false,
    stream: createStream(),
    streamed: false,
    whole: createWhole(),
    session: undefined,
    sessionTold: false,
    mayAsk: false,
    asks: new Map(),
  }),
  readsInput: () => true,
  line(state, line, out) {
    if (line.trim() === '') return;
    if (state.asked) return readPermission(state, line, out);
    state.asked = true;
    out.push(readTurn(line, state));
  },
  inputEnd(state, out) {
    if (!state.asked) out.push(refuse(fault('malformed-frame', 'Input ended before the turn came.')));
  },
  encode,
  sessionProblem: (id) => carriedProblem(id, sessionProblem),
  ask,
  exitCode: exitCodeOf,
});

/** The wire carries questions about tools alone. */
function ask(state: AgentprocV4AgentState, id: string, question: Question): string {
  const { tool } = question;
  if (!state.mayAsk || tool === undefined) return '';
  state.asks.set(id, question);
  const input = isObject(tool.input) ? tool.input : {};
  return frame(state, { type: 'permission_request', request_id: id, tool_name: tool.name, input });
}

/** Whether a JSON value is a turn of this dialect; its version is not looked at, since no two can be compared. */
function isTurnLine(value: JsonValue): value is JsonObject & { readonly message: string } {
  return isObject(value) && value.type === 'turn' && typeof value.message === 'string';
}

function readTurn(line: string, state: AgentprocV4AgentState): AgentEffect {
  const parsed = parseJson(line);
  if (!parsed.ok) return refuse(parsed.fault);
  if (!isTurnLine(parsed.value))
    return refuse(fault('malformed-frame', 'A turn needs `type` and `message`.'));
  const { message: text, session_id: id, session_name: name, attachments, permission } = parsed.value;
  // Any value of `permission` but false and null means that the host answers questions.
  state.mayAsk = permission !== undefined && permission !== false && permission !== null;
  const turn = {
    id: state.nextTurnId(),
    text,
    attachments: readAttachments(attachments),
    session: sessionFrom(id, name, state.newSessionKey),
    ...(state.mayAsk ? { extensions: { permission: true } } : {}),
  };
  return { type: 'turn', turn };
}

/** An unreadable answer to a known `request_id` counts as a denial. Lines of any other type are ignored. */
function readPermission({ asks }: AgentprocV4AgentState, line: string, out: AgentEffect[]): void {
  const parsed = parseJson(line);
  if (!parsed.ok || !isObject(parsed.value) || parsed.value.type !== 'permission_response') return;
  const { request_id: id, behavior, message, updated_input: input } = parsed.value;
  const question = typeof id === 'string' ? asks.get(id) : undefined;
  if (typeof id !== 'string' || question === undefined) return;
  asks.delete(id);
  const permission: Permission = {
    allowed: behavior === 'allow',
    ...(typeof message === 'string' ? { reason: message } : {}),
    ...(isObject(input) ? { input } : {}),
  };
  const answer = answerOf(question, permission, { by: 'host', via: 'person' });
  out.push({ type: 'answer', askId: id, answer });
}

function readAttachments(value: JsonValue | undefined): Attachment[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry: JsonValue) => {
    if (!isObject(entry)) return [];
    const { kind, url, name } = entry;
    const complete = typeof kind === 'string' && typeof url === 'string' && url !== '';
    return complete ? [attachmentFrom(kind, url, name)] : [];
  });
}

function encode(state: AgentprocV4AgentState, event: Event): string {
  switch (event.type) {
    case 'session':
      // The id is fixed once a frame has carried it: a host keeps the first id and reports `bad-session-id` for
      // another.
      if (!state.sessionTold) state.session = carriedId(event.id, sessionProblem) ?? state.session;
      return '';
    case 'delta':
      return sayDelta(state, event);
    case 'thinking':
      return event.streamed ? '' : sayDelta(state, { type: 'delta', kind: 'thinking', text: event.text });
    case 'message':
      return sayMessage(state, event);
    case 'end':
      return sayEnd(state, event);
    default:
      return '';
  }
}

function sayDelta(state: AgentprocV4AgentState, delta: Delta): string {
  const { kind, text } = delta;
  if (text === '') return '';
  const earlier = beginStream(state);
  if (kind === 'thinking') return partial(state, earlier) + partial(state, text, { role: 'thinking' });
  const piece = nextPartial(state.stream, delta);
  return partial(state, earlier + piece);
}

/**
 * Marks the turn as streamed and returns the earlier messages: a host that got a partial of any role hides
 * `result.text`.
 */
function beginStream(state: AgentprocV4AgentState): string {
  const earlier = state.streamed ? '' : textOf(state.whole);
  state.streamed = true;
  state.stream.gap ||= earlier !== '';
  return earlier;
}

function sayMessage(state: AgentprocV4AgentState, message: Message): string {
  const text = writtenOut(message);
  addMessage(state.whole, text);
  return state.streamed ? partial(state, lastPartial(state.stream, message)) : '';
}

function sayEnd(state: AgentprocV4AgentState, said: End): string {
  addMessage(state.whole, takePreview(state.stream));
  const end = endWith(state.whole, said);
  const usage = end.usage === undefined ? {} : { usage: end.usage };
  if (owesWords(end)) {
    // An `error` replaces the `result`, so that the gathered text is sent as a partial first.
    const said = state.streamed ? '' : partial(state, textOf(state.whole));
    return said + frame(state, { type: 'error', message: sentenceOf(end), ...usage });
  }
  return frame(state, { type: 'result', text: textOf(state.whole), ...usage });
}

function partial(state: AgentprocV4AgentState, text: string, more: JsonObject = {}): string {
  return text === '' ? '' : frame(state, { type: 'partial', text, ...more });
}

function frame(state: AgentprocV4AgentState, value: JsonObject): string {
  const { session } = state;
  state.sessionTold ||= session !== undefined;
  return `${JSON.stringify(session === undefined ? value : { ...value, session_id: session })}\n`;
}
