import { owesWords } from '../../model/ending.ts';
import type { Delta, End, Event, Message } from '../../model/event.ts';
import { faultEvent } from '../../model/fault.ts';
import { writtenOut } from '../../model/media.ts';
import { addMessage, createWhole, textOf, type Whole } from '../../model/whole.ts';
import type { AgentContext, AgentSide, Request } from '../dialect.ts';
import { carriedId, carriedProblem } from './carried-id.ts';
import { exitCodeOf, sentenceOf } from './outcome.ts';
import { sessionFrom } from './session.ts';
import { createStream, lastPartial, nextPartial, type Stream, takePreview } from './stream.ts';
import { holdsTurn, readAttachments } from './variables.ts';
import { bodyLines, ERROR, PARTIAL, SESSION, sessionProblem } from './wire.ts';

/** What an agent process remembers while it answers. */
export interface AgentprocAgentState {
  readonly context: AgentContext;
  readonly streaming: boolean;
  /** Lines of stdin, where only stdin has the whole text. */
  readonly input: string[];
  readonly stream: Stream;
  /** What the body says. */
  readonly whole: Whole;
  /** Where the messages went. A host takes the body for the whole reply, so they must all go the same way. */
  spokenIn: 'nothing' | 'partials' | 'body';
}

export const agentprocAgent: AgentSide<AgentprocAgentState> = {
  initial: (context) => ({
    context,
    streaming: context.environment.AGENT_STREAMING !== '0',
    input: [],
    stream: createStream(),
    whole: createWhole(),
    spokenIn: 'nothing',
  }),
  begin(state, out) {
    if (!holdsTurn(state.context.environment)) {
      out.push(
        faultEvent('malformed-frame', 'There is no turn in the environment: AGENT_MESSAGE is not set.'),
      );
    } else if (!readsInput(state)) out.push(turnOf(state, state.context.environment.AGENT_MESSAGE ?? ''));
  },
  // A host that says nothing on stdin may also leave it open, so it is read only when it must be.
  readsInput,
  step: (state, line) => void state.input.push(line),
  finish(state, out) {
    if (!readsInput(state)) return;
    out.push(turnOf(state, state.input.join('\n') || (state.context.environment.AGENT_MESSAGE ?? '')));
  },
  encode,
  sessionProblem: (id) => carriedProblem(id, sessionProblem),
  exitCode: exitCodeOf,
};

function readsInput({ context: { environment } }: AgentprocAgentState): boolean {
  return holdsTurn(environment) && environment.AGENT_MESSAGE_TRUNCATED === '1';
}

function turnOf({ context }: AgentprocAgentState, text: string): Request {
  const { AGENT_SESSION_ID: id, AGENT_SESSION_NAME: name, AGENT_FROM_USER: sender } = context.environment;
  const turn = {
    id: context.nextTurnId(),
    text,
    attachments: readAttachments(context.environment),
    session: sessionFrom(id, name, context.newSessionKey),
    ...(sender ? { sender } : {}),
  };
  return { type: 'turn', turn };
}

function encode(state: AgentprocAgentState, event: Event): string {
  switch (event.type) {
    case 'delta':
      return sayDelta(state, event);
    case 'message':
      return sayMessage(state, event);
    case 'session':
      return saySession(event.id);
    case 'end':
      return sayEnd(state, event);
    default:
      return '';
  }
}

function saySession(given: string): string {
  // As it stands, a line feed in an id would let it write any line.
  const id = carriedId(given, sessionProblem);
  return id === undefined ? '' : `${SESSION}${id}\n`;
}

function sayDelta({ stream, streaming }: AgentprocAgentState, delta: Delta): string {
  if (delta.kind !== 'output' || delta.text === '') return '';
  const partial = nextPartial(stream, delta);
  return streaming ? partialLine(partial) : '';
}

function sayMessage(state: AgentprocAgentState, message: Message): string {
  const inPartials = message.streamed ? state.spokenIn !== 'body' : state.spokenIn === 'partials';
  if (state.streaming && inPartials) {
    state.spokenIn = 'partials';
    return partialLine(lastPartial(state.stream, message));
  }
  takePreview(state.stream);
  return body(state, writtenOut(message));
}

/** Deltas that no message followed must still reach a host that takes no partials, or reads the body alone. */
function sayEnd(state: AgentprocAgentState, end: End): string {
  if (owesWords(end)) return sayFailure(state, sentenceOf(end));
  const rest = takePreview(state.stream);
  return state.streaming && state.spokenIn !== 'body' ? '' : body(state, rest);
}

/** A host discards the body of a turn that fails: what that said is said again, in a partial where those are taken. */
function sayFailure({ streaming, spokenIn, whole }: AgentprocAgentState, sentence: string): string {
  const said = spokenIn === 'body' ? textOf(whole) : '';
  const error = streaming || said === '' ? sentence : `${said}\n\n${sentence}`;
  return `${streaming ? partialLine(said) : ''}${ERROR}${JSON.stringify(error)}\n`;
}

function partialLine(text: string): string {
  return text === '' ? '' : `${PARTIAL}${JSON.stringify(text)}\n`;
}

function body(state: AgentprocAgentState, text: string): string {
  if (text === '') return '';
  addMessage(state.whole, text);
  const lead = state.spokenIn === 'body' ? '\n' : '';
  state.spokenIn = 'body';
  return lead + bodyLines(text);
}
