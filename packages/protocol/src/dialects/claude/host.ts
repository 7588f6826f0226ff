import type { HostEffect, HostSide } from '../../contract/host-side.ts';
import { stringOf } from '../../framing/narrow.ts';
import { noiseEvent } from '../../framing/noise.ts';
import { faultEvent, LINE_DROPPED } from '../../model/fault.ts';
import type { JsonObject } from '../../model/json.ts';
import { readAssistant, readUser } from './content.ts';
import { answerAsk, probe, readRequest, readResponse, withdrawAsk } from './control.ts';
import { exit, interrupt, noteFate, send } from './inputs.ts';
import { launchClaude } from './launch.ts';
import { initialize } from './options.ts';
import { readResult } from './result.ts';
import type { ClaudeSettings } from './settings.ts';
import { type ClaudeHostState, createState, currentTurn, tell } from './state.ts';
import { readStreamEvent } from './stream.ts';
import { readSystem } from './system.ts';
import { readLine } from './wire.ts';

/** The result of a tool is one line. */
const LINE_BYTES = 64 * 1024 * 1024;

export const claudeHost: HostSide<ClaudeSettings, ClaudeHostState> = {
  process: 'per-session',
  lineBytes: LINE_BYTES,
  prewarmProblem: () => 'it is one process that stays',
  launch: launchClaude,
  initial: createState,
  currentTurn,
  step(state, input, out) {
    switch (input.type) {
      case 'line':
        return input.truncated === true
          ? tell(state, faultEvent('line-too-long', LINE_DROPPED, input.text), out)
          : readOutput(state, input.text, out);
      case 'started':
        return state.ended ? undefined : initialize(state, out);
      case 'send':
        return send(state, input.turn, out);
      case 'interrupt':
        return interrupt(state, input.turnId, input.cause, out);
      case 'answer':
        return answerAsk(state, input.askId, input.answer, out);
      case 'probe':
        return probe(state, input.probe, out);
      case 'exit':
        return exit(state, input.exit, out);
      default:
    }
  },
};

type Reader = (state: ClaudeHostState, value: JsonObject, out: HostEffect[]) => void;

const READERS: Readonly<Record<string, Reader>> = {
  stream_event: readStreamEvent,
  assistant: readAssistant,
  user: readUser,
  system: readSystem,
  result: readResult,
  control_request: readRequest,
  control_response: readResponse,
  control_cancel_request: withdrawAsk,
  command_lifecycle: (state, { command_uuid: uuid, state: fate }, out) => {
    if (typeof uuid === 'string' && typeof fate === 'string') noteFate(state, uuid, fate, out);
  },
};

/** Reads a line. Releases add types every week: an unknown one is not reported. */
function readOutput(state: ClaudeHostState, line: string, out: HostEffect[]): void {
  if (line.trim() === '') return;
  const reading = readLine(line);
  if (reading.type === 'noise') return tell(state, noiseEvent(state, line), out);
  if (reading.type === 'fault') return tell(state, reading, out);
  if (state.ended || state.failure !== undefined) return;
  const { value } = reading;
  const type = stringOf(value.type) ?? '';
  if (Object.hasOwn(READERS, type)) READERS[type]?.(state, value, out);
  if (value.type !== 'result' || state.isReady) noteSession(state, value, out);
}

/** The session id stands in every line. It is told when it is new to this process, or has changed. */
function noteSession(state: ClaudeHostState, { session_id: id }: JsonObject, out: HostEffect[]): void {
  const { turn } = state;
  if (typeof id !== 'string' || id === '' || id === state.session || turn === undefined || turn.muted) return;
  state.session = id;
  tell(state, { type: 'session', id }, out);
}
