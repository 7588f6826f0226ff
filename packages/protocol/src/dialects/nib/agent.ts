import type { AgentEffect } from '../../contract/agent-side.ts';
import { createPerTurnAgent, refuse } from '../../contract/per-turn-agent.ts';
import { isObject } from '../../framing/json.ts';
import { fault } from '../../model/fault.ts';
import { createGathered, type Gathered, gather, takeGathered } from '../../model/gathered.ts';
import { createTurn, type SessionRef } from '../../model/turn.ts';
import { type AnswerState, answer, createAnswer } from './answer.ts';
import { type RequestReading, readRequest } from './request.ts';
import { type TalkState, talk } from './talk.ts';

const REQUEST_CHARS = 64 * 1024 * 1024;

/** The state of an agent process that speaks `nib`. */
export interface NibAgentState {
  readonly nextTurnId: () => string;
  /** The content of the request file of an interactive operation. Undefined in pipe mode. */
  readonly requestFile: string | undefined;
  readonly input: Gathered;
  readonly answer: AnswerState;
  readonly talk: TalkState;
  /** The operation of the request; undefined before it was read, or when it is unreadable. */
  operation: string | undefined;
  session: SessionRef | undefined;
}

export const nibAgent = createPerTurnAgent<NibAgentState>({
  // A `requestFile` that cannot be read was meant for an ancestor of this process, so the context has none.
  isStartedBy: ({ requestFile }) => requestFile !== undefined,
  recognisesHalf: (line) => /"operation"\s*:/.test(line),
  isInteractive,
  recognises: (value) => isObject(value) && typeof value.operation === 'string',
  initial: (context) => ({
    nextTurnId: context.nextTurnId,
    requestFile: context.requestFile,
    input: createGathered(REQUEST_CHARS),
    answer: createAnswer(),
    talk: { midLine: false },
    operation: undefined,
    session: undefined,
  }),
  started(state, out) {
    if (state.requestFile === undefined) return;
    out.push(accept(state, readRequest(state.requestFile, state.nextTurnId())));
  },
  // In `interactive` mode stdin is the conversation, which begins only after a readable request.
  readsInput: (state) => !isInteractive(state) || state.operation !== undefined,
  line(state, line, out) {
    if (!isInteractive(state)) {
      gather(state.input, `${line}\n`);
    } else if (state.session !== undefined && line.trim() !== '') {
      out.push({
        type: 'turn',
        turn: createTurn({ id: state.nextTurnId(), text: line, session: state.session }),
      });
    }
  },
  inputEnd(state, out) {
    if (!isInteractive(state)) out.push(accept(state, readInput(state)));
  },
  encode: (state, event) =>
    isInteractive(state) ? talk(state.talk, event) : answer(state.answer, state.operation, event),
  // A pipe operation reports failure in its JSON answer, so it exits with 0. An interactive operation has only the exit
  // code.
  exitCode: (end, state) => (isInteractive(state) && end.outcome !== 'success' ? end.exitCode || 1 : 0),
});

function isInteractive(state: NibAgentState): boolean {
  return state.requestFile !== undefined;
}

function readInput(state: NibAgentState): RequestReading {
  if (state.input.cut) {
    return { ok: false, fault: fault('malformed-frame', 'The request is longer than 64 MiB.') };
  }
  return readRequest(takeGathered(state.input), state.nextTurnId());
}

/** Stores the operation and the session of the request for `answer` and for later lines. */
function accept(state: NibAgentState, reading: RequestReading): AgentEffect {
  if (!reading.ok) return refuse(reading.fault);
  state.operation = reading.turn.operation?.name;
  state.session = reading.turn.session;
  return { type: 'turn', turn: reading.turn };
}
