import { show } from '../../framing/json.ts';
import { endOf, stoppedEnd, wasStopped } from '../../model/ending.ts';
import { type Exit, exitFailure } from '../../model/exit.ts';
import { faultEvent } from '../../model/fault.ts';
import type { JsonObject } from '../../model/json.ts';
import type { ResidentHost } from '../dialect.ts';
import { readAssistant, readToolResults } from './content.ts';
import {
  addContent,
  beginTurn,
  createConversation,
  endStray,
  endTurn,
  type NuumHostState,
  noteSent,
  noteSession,
  type Out,
} from './conversation.ts';
import { writeTurn } from './request.ts';
import { isKnownResult, readResult } from './result.ts';
import type { NuumSettings } from './settings.ts';
import { readSystem } from './system.ts';
import { readLine, writeLine } from './wire.ts';

/** The whole output of a tool is one line. */
const LINE_BYTES = 64 * 1024 * 1024;

export const nuumHost: ResidentHost<NuumSettings, NuumHostState> = {
  resident: true,
  lineBytes: LINE_BYTES,
  lastingTools: new Set(['set_alarm', 'background_research', 'background_reflect']),
  launch: (settings) => ({
    command: settings.command,
    env: settings.env,
    ...(settings.cwd === undefined ? {} : { cwd: settings.cwd }),
  }),
  encode: writeTurn,
  control: (action) => writeLine({ type: 'control', action }),
  noteSent,
  initial: createConversation,
  step(state, line, out) {
    if (line.trim() === '') return;
    const reading = readLine(line);
    if (reading.ok) dispatch(state, reading.value, line, out);
    else out.push({ type: 'fault', fault: reading.fault });
  },
  end,
};

function dispatch(state: NuumHostState, value: JsonObject, line: string, out: Out): void {
  if (value.type === 'system') return readSystem(state, value, line, out);
  if (value.type !== 'assistant' && value.type !== 'user' && value.type !== 'result') {
    out.push(faultEvent('unknown-frame', `Unknown type ${show(value.type)}.`, line));
    return;
  }
  noteSession(state, value.session_id, out);
  if (value.type === 'result') return finish(state, value, line, out);
  const events = value.type === 'assistant' ? readAssistant(value, line) : readToolResults(value, line);
  for (const event of events) addContent(state, event, out);
}

/** A result ends the running turn, or one that was sent and answered without a word; any other is a stray. */
function finish(state: NuumHostState, value: JsonObject, line: string, out: Out): void {
  if (!state.running && state.pending === 0) {
    out.push(faultEvent('late-frame', 'A result came when no turn was running.', line));
    return;
  }
  if (!isKnownResult(value)) {
    out.push(faultEvent('malformed-frame', `Unknown kind of result ${show(value.subtype)}.`, line));
  }
  if (!state.running) beginTurn(state, { type: 'accepted' }, out);
  endTurn(state, readResult(value, state.lastText), out);
}

/** The process is the conversation: when it ends, so does whatever was running or waiting, as one. */
function end(state: NuumHostState, exit: Exit, out: Out): void {
  endStray(state, '', out);
  if (!state.running && state.pending === 0) return;
  const text = state.running ? state.lastText : '';
  const failure = exitFailure(exit);
  const error =
    exit.exitCode === 0 ? { ...failure, message: 'The agent ended before it answered.' } : failure;
  state.pending = 0;
  endTurn(state, wasStopped(exit) ? stoppedEnd(exit, text) : endOf(exit, 'error', { text, error }), out);
}
