import { endOf, stoppedEnd, wasStopped } from '../../model/ending.ts';
import type { End, Event } from '../../model/event.ts';
import { describeExit, type Exit } from '../../model/exit.ts';
import { faultEvent } from '../../model/fault.ts';
import { createGathered, type Gathered, gather, takeGathered } from '../../model/gathered.ts';
import type { Turn } from '../../model/turn.ts';
import type { Launch, LaunchContext, OneShotHost } from '../dialect.ts';
import { operationNamed } from './operations.ts';
import { createRequest, operationOf } from './request.ts';
import { errorIn, type Response, readResponse } from './response.ts';
import type { NibSettings } from './settings.ts';

/** The name of the variable that says where an interactive request lies. */
export const REQUEST_FILE = 'NIB_AGENT_REQUEST_FILE';

/** A whole answer may be one line. */
const ANSWER_LIMIT = 64 * 1024 * 1024;
const TOO_LONG = 'The answer of the agent is longer than 64 MiB.';

/** What is known of a running turn. */
export interface NibHostState {
  readonly operation: string;
  /** The agent owns the terminal: whatever it writes is for the person, not for us. */
  readonly interactive: boolean;
  readonly output: Gathered;
}

export const nibHost: OneShotHost<NibSettings, NibHostState> = {
  resident: false,
  lineBytes: ANSWER_LIMIT,
  launch,
  // True for the dialect as a whole. An interactive launch carries a request file, and such a one never takes a waiting process.
  prewarms: () => true,
  initial(turn) {
    const operation = operationOf(turn);
    const interactive = operationNamed(operation).mode === 'interactive';
    return { operation, interactive, output: createGathered(ANSWER_LIMIT) };
  },
  step(state, line, out) {
    // The line end counts too, so that a flood of empty lines is bounded like any other.
    if (state.interactive || gather(state.output, `${line}\n`)) return;
    out.push(faultEvent('output-too-long', TOO_LONG));
  },
  end,
};

/**
 * Working directory and `PWD` are the project root. A request file of an outer conversation must not reach a pipe
 * operation, since an agent chooses its mode by that variable alone.
 */
function launch(turn: Turn, settings: NibSettings, context: LaunchContext): Launch {
  const { operation, dir, json } = createRequest(turn, settings.cwd ?? context.workspace);
  const common = { command: settings.command, env: { ...settings.env, PWD: dir }, cwd: dir };
  if (operationNamed(operation).mode === 'interactive') {
    return { ...common, requestFile: { variable: REQUEST_FILE, content: `${json}\n` } };
  }
  return { ...common, stdin: json };
}

function end(state: NibHostState, exit: Exit, out: Event[]): void {
  const tooLong = state.output.cut;
  const source = takeGathered(state.output);
  if (wasStopped(exit)) out.push(stoppedEnd(exit, ''));
  else if (exit.exitCode !== 0) out.push(failedEnd(exit, complaintOf(source, exit)));
  else if (state.interactive) out.push(endOf(exit, 'success', { text: '' }));
  else if (tooLong) out.push(failedEnd(exit, TOO_LONG));
  else tell(readResponse(source, state.operation), exit, out);
}

function tell(response: Response, exit: Exit, out: Event[]): void {
  if (!response.ok) {
    if (response.fault !== undefined) out.push({ type: 'fault', fault: response.fault });
    out.push(failedEnd(exit, response.message));
    return;
  }
  const { ok: _, ...said } = response;
  if (said.text !== '') out.push({ type: 'message', text: said.text, media: [] });
  out.push(endOf(exit, 'success', said));
}

/** An agent that fails may have said why on both ways; what it said as an answer is for people. */
function complaintOf(source: string, exit: Exit): string {
  const said = [errorIn(source) ?? '', exit.stderr.trim()].filter((part) => part !== '');
  return said.length > 0 ? said.join('\n') : describeExit(exit);
}

function failedEnd(exit: Exit, message: string): End {
  return endOf(exit, 'error', { text: '', error: { message } });
}
