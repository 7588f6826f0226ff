import type { Launch, LaunchContext } from '../../contract/host-side.ts';
import { createPerTurnHost } from '../../contract/per-turn-host.ts';
import { endOf, stoppedEnd, wasStopped } from '../../model/ending.ts';
import type { End, Event } from '../../model/event.ts';
import { describeExit, type Exit } from '../../model/exit.ts';
import { faultEvent } from '../../model/fault.ts';
import { createGathered, type Gathered, gather, takeGathered } from '../../model/gathered.ts';
import { createTurn } from '../../model/turn.ts';
import { operationNamed } from './operations.ts';
import { createRequest, operationOf } from './request.ts';
import { errorIn, type Response, readResponse } from './response.ts';
import type { NibSettings } from './settings.ts';

/** The variable that names the file of an interactive request. */
export const REQUEST_FILE = 'NIB_AGENT_REQUEST_FILE';

/** A whole answer may be one line. */
const ANSWER_LIMIT = 64 * 1024 * 1024;
const TOO_LONG = 'The answer of the agent is longer than 64 MiB.';

/** A turn that is being read. */
interface NibReading {
  readonly operation: string;
  /** The agent owns the terminal: its output is for the person and is not parsed. */
  readonly interactive: boolean;
  readonly output: Gathered;
}

export const nibHost = createPerTurnHost<NibSettings, NibReading>({
  lineBytes: ANSWER_LIMIT,
  launch,
  // True for the dialect as a whole: an interactive launch carries a `requestFile`, and a launch with a `requestFile`
  // never takes a prewarmed process.
  prewarmProblem: () => undefined,
  initial(turn) {
    const operation = operationOf(turn);
    return { operation, interactive: isInteractive(operation), output: createGathered(ANSWER_LIMIT) };
  },
  opening: (turn, settings, context) => ({
    text: isInteractive(operationOf(turn))
      ? ''
      : createRequest(turn, settings.cwd ?? context.workspace).toJson(),
  }),
  line(state, line, out) {
    // Counts the line end too, so that a flood of empty lines reaches `ANSWER_LIMIT`.
    if (state.interactive || gather(state.output, `${line}\n`)) return;
    out.push(faultEvent('output-too-long', TOO_LONG));
  },
  exit: finish,
});

function isInteractive(operation: string): boolean {
  return operationNamed(operation).mode === 'interactive';
}

/**
 * Working directory and `PWD` are the project root. A request file of an outer conversation must not reach a pipe
 * operation, since an agent chooses its mode by that variable alone.
 */
function launch(settings: NibSettings, context: LaunchContext, turn = createTurn({ id: '' })): Launch {
  const { operation, dir, toJson } = createRequest(turn, settings.cwd ?? context.workspace);
  const launch = { command: settings.command, env: { ...settings.env, PWD: dir }, cwd: dir };
  return isInteractive(operation)
    ? { ...launch, requestFile: { variable: REQUEST_FILE, content: `${toJson()}\n` } }
    : launch;
}

function finish(state: NibReading, exit: Exit, out: Event[]): void {
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

/**
 * A failing agent may report the reason in its JSON `error`, on stderr, or both; the two are joined. The exit
 * description stands in when both are empty.
 */
function complaintOf(source: string, exit: Exit): string {
  const said = [errorIn(source) ?? '', exit.stderr.trim()].filter((part) => part !== '');
  return said.length > 0 ? said.join('\n') : describeExit(exit);
}

function failedEnd(exit: Exit, message: string): End {
  return endOf(exit, 'error', { text: '', error: { message } });
}
