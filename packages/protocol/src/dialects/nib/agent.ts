import { isObject } from '../../framing/json.ts';
import { fault } from '../../model/fault.ts';
import { createGathered, type Gathered, gather, takeGathered } from '../../model/gathered.ts';
import { createTurn, type SessionRef } from '../../model/turn.ts';
import type { AgentSide, Request } from '../dialect.ts';
import { type AnswerState, answer, createAnswer } from './answer.ts';
import { type RequestReading, readRequest } from './request.ts';
import { type TalkState, talk } from './talk.ts';

const REQUEST_CHARS = 64 * 1024 * 1024;

/** What an agent process remembers while it answers. */
export interface NibAgentState {
  readonly nextTurnId: () => string;
  /** The request of an interactive operation. Whether there is one decides the mode. */
  readonly requestFile: string | undefined;
  readonly input: Gathered;
  readonly answer: AnswerState;
  readonly talk: TalkState;
  /** Of the request that was read; undefined as long as none was, or when it could not be. */
  operation: string | undefined;
  session: SessionRef | undefined;
}

export const nibAgent: AgentSide<NibAgentState> = {
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
  begin(state, out) {
    if (state.requestFile === undefined) return;
    out.push(accept(state, readRequest(state.requestFile, state.nextTurnId())));
  },
  // A conversation whose request could not be read has not begun.
  readsInput: (state) => !isInteractive(state) || state.operation !== undefined,
  step(state, line, out) {
    if (!isInteractive(state)) {
      gather(state.input, `${line}\n`);
    } else if (state.session !== undefined && line.trim() !== '') {
      out.push({
        type: 'turn',
        turn: createTurn({ id: state.nextTurnId(), text: line, session: state.session }),
      });
    }
  },
  finish(state, out) {
    if (!isInteractive(state)) out.push(accept(state, readInput(state)));
  },
  encode: (state, event) =>
    isInteractive(state) ? talk(state.talk, event) : answer(state.answer, state.operation, event),
  // Over the pipes the answer itself says what went wrong; on the terminal only the exit code can.
  exitCode: (end, state) => (isInteractive(state) && end.outcome !== 'success' ? end.exitCode || 1 : 0),
};

function isInteractive(state: NibAgentState): boolean {
  return state.requestFile !== undefined;
}

function readInput(state: NibAgentState): RequestReading {
  if (state.input.cut) {
    return { ok: false, fault: fault('malformed-frame', 'The request is longer than 64 MiB.') };
  }
  return readRequest(takeGathered(state.input), state.nextTurnId());
}

/** Remembers what later lines and the answer need of the request. */
function accept(state: NibAgentState, reading: RequestReading): Request {
  if (!reading.ok) return { type: 'fault', fault: reading.fault };
  state.operation = reading.turn.operation?.name;
  state.session = reading.turn.session;
  return { type: 'turn', turn: reading.turn };
}
