import { eventsOf, type HostEffect, type HostSide } from '../../contract/host-side.ts';
import { show } from '../../framing/json.ts';
import { endOf, stoppedEnd, wasStopped } from '../../model/ending.ts';
import type { End } from '../../model/event.ts';
import { type Exit, exitFailure } from '../../model/exit.ts';
import { faultEvent, LINE_DROPPED } from '../../model/fault.ts';
import type { JsonObject } from '../../model/json.ts';
import { readAssistant, readToolResults } from './content.ts';
import {
  addContent,
  answerQuestion,
  beginTurn,
  createConversation,
  currentTurn,
  endStray,
  endTurn,
  interrupt,
  leaveUnbegun,
  type NuumHostState,
  noteSession,
  probe,
  runTimer,
  send,
  tell,
} from './conversation.ts';
import { isKnownResult, readResult } from './result.ts';
import type { NuumSettings } from './settings.ts';
import { readSystem } from './system.ts';
import { readLine } from './wire.ts';

/** The whole output of a tool is one line. */
const LINE_BYTES = 64 * 1024 * 1024;

export const nuumHost: HostSide<NuumSettings, NuumHostState> = {
  process: 'per-session',
  lineBytes: LINE_BYTES,
  prewarmProblem: () => 'it is one process that stays',
  lastingTools: new Set(['set_alarm', 'background_research', 'background_reflect']),
  resumesWork: true,
  launch: (settings) => ({
    command: settings.command,
    env: settings.env,
    ...(settings.cwd === undefined ? {} : { cwd: settings.cwd }),
  }),
  initial: createConversation,
  currentTurn,
  step(state, input, out) {
    switch (input.type) {
      case 'line':
        return input.truncated === true
          ? dropLine(state, input.text, out)
          : readOutput(state, input.text, out);
      case 'send':
        return send(state, input.turn, out);
      case 'interrupt':
        return interrupt(state, input.turnId, input.cause, out);
      case 'answer':
        return answerQuestion(state, input.askId, input.answer, out);
      case 'probe':
        return probe(state, input.probe, out);
      case 'timer':
        return runTimer(state, input.name, out);
      case 'exit':
        return exit(state, input.exit, out);
      default:
    }
  },
};

function dropLine(state: NuumHostState, head: string, out: HostEffect[]): void {
  tell(state, faultEvent('line-too-long', LINE_DROPPED, head), out);
}

function readOutput(state: NuumHostState, line: string, out: HostEffect[]): void {
  if (line.trim() === '') return;
  const reading = readLine(line);
  if (reading.ok) dispatch(state, reading.value, line, out);
  else tell(state, { type: 'fault', fault: reading.fault }, out);
}

function dispatch(state: NuumHostState, value: JsonObject, line: string, out: HostEffect[]): void {
  if (value.type === 'system') return readSystem(state, value, line, out);
  if (value.type !== 'assistant' && value.type !== 'user' && value.type !== 'result')
    return tell(state, faultEvent('unknown-frame', `Unknown type ${show(value.type)}.`, line), out);
  noteSession(state, value.session_id, out);
  if (value.type === 'result') return finish(state, value, line, out);
  const events = value.type === 'assistant' ? readAssistant(value, line) : readToolResults(value, line);
  for (const event of events) addContent(state, event, out);
}

/**
 * A `result` ends the running turn, or the oldest `sent` message that got no events. Any other `result` is a
 * `late-frame` fault.
 */
function finish(state: NuumHostState, value: JsonObject, line: string, out: HostEffect[]): void {
  if (state.turn === undefined && state.sent.length === 0)
    return tell(state, faultEvent('late-frame', 'A result came when no turn was running.', line), out);
  if (!isKnownResult(value))
    tell(state, faultEvent('malformed-frame', `Unknown kind of result ${show(value.subtype)}.`, line), out);
  if (state.turn === undefined) beginTurn(state, {}, out);
  endTurn(state, readResult(value, state.turn?.lastText ?? ''), out);
}

/**
 * The process has ended, and with it the running turn. An unbegun message is `returned` when this process has completed
 * a turn before, because a new process may succeed as well. In the first turn the exit of the process is the answer.
 */
function exit(state: NuumHostState, how: Exit, out: HostEffect[]): void {
  if (state.ended) return;
  state.ended = true;
  endStray(state, '', out);
  const isFirstTurn = state.last === undefined;
  if (state.turn !== undefined) endTurn(state, endBy(how, state.turn.lastText), out);
  else if (isFirstTurn || wasStopped(how)) endUnbegun(state, how, out);
  for (const input of state.sent.splice(0)) leaveUnbegun(input, { state: 'returned' }, out);
  for (const { id } of state.held.splice(0)) out.push({ type: 'input', inputId: id, state: 'returned' });
}

function endUnbegun(state: NuumHostState, how: Exit, out: HostEffect[]): void {
  const input = state.sent.shift();
  if (input === undefined || !input.wanted) return;
  out.push({ type: 'input', inputId: input.id, state: 'taken', turnId: input.id });
  eventsOf(out, input.id).push(endBy(how, ''));
}

function endBy(how: Exit, text: string): End {
  if (wasStopped(how)) return stoppedEnd(how, text);
  const failure = exitFailure(how);
  const error = how.exitCode === 0 ? { ...failure, message: 'The agent ended before it answered.' } : failure;
  return endOf(how, 'error', { text, error });
}
