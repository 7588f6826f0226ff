import type { DialectName } from '@plugboard/protocol';
import { type Case, combineVerdicts, createFailure, createSkip, type Verdict } from './case.ts';
import { HOST_CASES } from './host/cases/index.ts';
import type { HostCase, HostGiven, HostSight } from './host/host-case.ts';
import { type HostSurroundings, observeHost } from './host/observe-host.ts';
import {
  createHostTimeOuts,
  type HostTimeOuts,
  hostStoppedBy,
  isGivenUp,
  noteHostSight,
} from './host-time-outs.ts';
import { withoutSigns } from './observe/environment.ts';
import { createPlace } from './observe/place.ts';
import { type CaseResult, createReport, interruptedBy, type Report } from './report.ts';
import { runCases } from './run-cases.ts';

export interface CheckHostOptions {
  readonly dialect: DialectName;
  /**
   * Starts the host for one turn. `{agent}` stands for the executable of an agent, `{message}` for the text of the
   * user, `{session}` for the name of a conversation, `{timeout}` for seconds. Nib hosts find `check` by NIB_AGENT.
   */
  readonly hostCommand: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Limit of one turn; 10 when absent. */
  readonly timeoutSecs?: number;
  readonly only?: readonly string[];
  readonly onResult?: (result: CaseResult) => void;
  /** Abort ends the check and kills every process that it started. */
  readonly signal?: AbortSignal;
}

/** Runs `HOST_CASES` against a host: a scripted agent plays each case, and the output of the host is checked. */
export async function checkHost(options: CheckHostOptions): Promise<Report> {
  const { dialect, hostCommand } = options;
  const place = createPlace();
  const around: HostSurroundings = {
    hostCommand,
    dialect,
    environment: withoutSigns(options.environment),
    place,
    timeoutMs: (options.timeoutSecs ?? 10) * 1000,
    signal: options.signal,
  };
  const state: CheckState = { around, shared: new Map(), timeOuts: createHostTimeOuts() };
  try {
    const cases = await runCases<HostGiven, HostSight>(HOST_CASES[dialect], {
      ...options,
      concurrency: 2,
      examine: (one) => examineCase(one, state),
    });
    return createReport(
      { dialect, kind: 'host', command: hostCommand },
      cases,
      interruptedBy(options.signal) ?? hostStoppedBy(state.timeOuts),
    );
  } finally {
    place.remove();
  }
}

/** State of one `checkHost` call. */
interface CheckState {
  readonly around: HostSurroundings;
  readonly shared: Map<HostGiven['runs'], Promise<HostSight | undefined>>;
  readonly timeOuts: HostTimeOuts;
}

/** Cases with the same `runs` share one run, unless they set `env` or `timeoutSecs`. */
async function examineCase({ given, expect }: HostCase, state: CheckState): Promise<Verdict> {
  const { around, shared, timeOuts } = state;
  const missing = given.needs?.find((word) => !around.hostCommand.some((part) => part.includes(word)));
  if (missing !== undefined) return createSkip(`the command has no ${missing}`);
  if (isGivenUp(timeOuts)) {
    timeOuts.untried += 1;
    return createSkip('not tried: the host was not done in time');
  }
  const plain = given.env === undefined && given.timeoutSecs === undefined;
  const running = (plain ? shared.get(given.runs) : undefined) ?? runHost(given, state);
  if (plain) shared.set(given.runs, running);
  const sight = await running;
  if (sight === undefined) return createSkip('there is nothing to run');
  if (sight.ending.failure !== undefined)
    return createFailure('a command that can be started', sight.ending.failure.message);
  if (sight.agent === undefined)
    return createFailure('the host to start the agent', sight.told.trim() || 'nothing');
  return combineVerdicts(expect, sight);
}

async function runHost(given: HostGiven, { around, timeOuts }: CheckState): Promise<HostSight | undefined> {
  const sight = await observeHost(given, around);
  if (sight !== undefined) noteHostSight(timeOuts, sight);
  return sight;
}

export function listHostCases(
  dialect: DialectName,
): readonly Pick<Case<unknown, unknown>, 'id' | 'title' | 'level'>[] {
  return HOST_CASES[dialect];
}
