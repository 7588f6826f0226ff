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
import { owesWords } from '../../model/ending.ts';
import type { Delta, End, Event, Message } from '../../model/event.ts';
import { fault } from '../../model/fault.ts';
import { writtenOut } from '../../model/media.ts';
import { addMessage, createWhole, textOf, type Whole } from '../../model/whole.ts';
import { holdsTurn, readAttachments } from './variables.ts';
import { bodyLines, ERROR, PARTIAL, SESSION, sessionProblem } from './wire.ts';

/** The state of an agent process that speaks `agentproc`. */
export interface AgentprocAgentState {
  readonly context: AgentContext;
  readonly streaming: boolean;
  /** Lines of stdin, read only when `AGENT_MESSAGE` is truncated. */
  readonly input: string[];
  readonly stream: Stream;
  /** The text of the body so far. */
  readonly whole: Whole;
  /**
   * The channel of the messages so far. A host takes the body for the whole reply, so all messages must go the same
   * way.
   */
  spokenIn: 'nothing' | 'partials' | 'body';
}

export const agentprocAgent = createPerTurnAgent<AgentprocAgentState>({
  isStartedBy: ({ environment }) => environment.AGENT_MESSAGE !== undefined,
  initial: (context) => ({
    context,
    streaming: context.environment.AGENT_STREAMING !== '0',
    input: [],
    stream: createStream(),
    whole: createWhole(),
    spokenIn: 'nothing',
  }),
  started(state, out) {
    if (!holdsTurn(state.context.environment)) {
      const message = 'There is no turn in the environment: AGENT_MESSAGE is not set.';
      out.push(refuse(fault('malformed-frame', message)));
    } else if (!readsInput(state)) out.push(turnOf(state, state.context.environment.AGENT_MESSAGE ?? ''));
  },
  // A host may leave stdin open without writing to it, so stdin is read only when `AGENT_MESSAGE_TRUNCATED` is set.
  readsInput,
  line: (state, line) => void state.input.push(line),
  inputEnd(state, out) {
    if (!readsInput(state)) return;
    out.push(turnOf(state, state.input.join('\n') || (state.context.environment.AGENT_MESSAGE ?? '')));
  },
  encode,
  sessionProblem: (id) => carriedProblem(id, sessionProblem),
  exitCode: exitCodeOf,
});

function readsInput({ context: { environment } }: AgentprocAgentState): boolean {
  return holdsTurn(environment) && environment.AGENT_MESSAGE_TRUNCATED === '1';
}

function turnOf({ context }: AgentprocAgentState, text: string): AgentEffect {
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
  // A line feed in an unencoded id would start a new protocol line.
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

/**
 * Deltas without a following message must still reach a host that takes no partials (`AGENT_STREAMING=0`), or that
 * reads the body.
 */
function sayEnd(state: AgentprocAgentState, end: End): string {
  if (owesWords(end)) return sayFailure(state, sentenceOf(end));
  const rest = takePreview(state.stream);
  return state.streaming && state.spokenIn !== 'body' ? '' : body(state, rest);
}

/**
 * A host discards the body when it reads `AGENT_ERROR`. Text that was written to the body is repeated in a partial, or
 * in the error where partials are off.
 */
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
