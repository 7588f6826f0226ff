import { isObject, parseJson } from '../../framing/json.ts';
import { owesWords } from '../../model/ending.ts';
import type { Delta, End, Event, Message } from '../../model/event.ts';
import { faultEvent } from '../../model/fault.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { writtenOut } from '../../model/media.ts';
import type { Attachment } from '../../model/turn.ts';
import { addMessage, createWhole, endWith, textOf, type Whole } from '../../model/whole.ts';
import { attachmentFrom } from '../agentproc/attachments.ts';
import { carriedId, carriedProblem } from '../agentproc/carried-id.ts';
import { exitCodeOf, sentenceOf } from '../agentproc/outcome.ts';
import { sessionFrom } from '../agentproc/session.ts';
import { createStream, lastPartial, nextPartial, type Stream, takePreview } from '../agentproc/stream.ts';
import type { AgentContext, AgentSide, Permission, Request } from '../dialect.ts';
import { sessionProblem } from './session-id.ts';

/** What an agent process remembers while it answers. */
export interface AgentprocV4AgentState {
  readonly nextTurnId: () => string;
  readonly newSessionKey: AgentContext['newSessionKey'];
  asked: boolean;
  readonly stream: Stream;
  /** Partials were written: a host will then not show the result, so they must say everything. */
  streamed: boolean;
  /** Messages for the one result there is. */
  readonly whole: Whole;
  session: string | undefined;
  /** A frame has carried it. */
  sessionTold: boolean;
  /** The host answers questions about permission, as long as its end of stdin is open. */
  mayAsk: boolean;
}

export const agentprocV4Agent: AgentSide<AgentprocV4AgentState> = {
  recognises: isTurnLine,
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
  }),
  begin: () => {},
  readsInput: () => true,
  step(state, line, out) {
    if (line.trim() === '') return;
    if (state.asked) return readPermission(line, out);
    state.asked = true;
    out.push(readTurn(line, state));
  },
  finish(state, out) {
    if (!state.asked) out.push(faultEvent('malformed-frame', 'Input ended before the turn came.'));
  },
  encode,
  sessionProblem: (id) => carriedProblem(id, sessionProblem),
  askPermission: (state, { id, tool, input }) =>
    state.mayAsk ? frame(state, { type: 'permission_request', request_id: id, tool_name: tool, input }) : '',
  exitCode: exitCodeOf,
};

/** Whether a JSON value is a turn of this dialect; its version is not looked at, since no two can be compared. */
function isTurnLine(value: JsonValue): value is JsonObject & { readonly message: string } {
  return isObject(value) && value.type === 'turn' && typeof value.message === 'string';
}

function readTurn(line: string, state: AgentprocV4AgentState): Request {
  const parsed = parseJson(line);
  if (!parsed.ok) return { type: 'fault', fault: parsed.fault };
  if (!isTurnLine(parsed.value))
    return faultEvent('malformed-frame', 'A turn needs `type` and `message`.', line);
  const { message: text, session_id: id, session_name: name, attachments, permission } = parsed.value;
  // Any value but false or null means that the host answers questions about permission.
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

/** An answer that cannot be read is a no, as long as it says to which question. Anything else is not for an agent. */
function readPermission(line: string, out: Request[]): void {
  const parsed = parseJson(line);
  if (!parsed.ok || !isObject(parsed.value) || parsed.value.type !== 'permission_response') return;
  const { request_id: id, behavior, message, updated_input: input } = parsed.value;
  if (typeof id !== 'string') return;
  const permission: Permission = {
    allowed: behavior === 'allow',
    ...(typeof message === 'string' ? { reason: message } : {}),
    ...(isObject(input) ? { input } : {}),
  };
  out.push({ type: 'permission', id, permission });
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
      // A host keeps the first id that it is told and complains of others.
      if (!state.sessionTold) state.session = carriedId(event.id, sessionProblem) ?? state.session;
      return '';
    case 'delta':
      return sayDelta(state, event);
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

/** Marks the turn as streamed and returns the earlier messages: a host that got a partial of any role hides `result.text`. */
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
    // There will be no result: what was meant for it has been said all the same.
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
