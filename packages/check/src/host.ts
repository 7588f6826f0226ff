import type { DialectName } from '@plugboard/protocol';
import { type Case, fail, judge, skip, type Verdict } from './case.ts';
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

/** What a check of a host needs to know. */
export interface CheckHostOptions {
  readonly dialect: DialectName;
  /**
   * Starts the host for one turn. `{agent}` stands for the executable of an agent, `{message}` for what the user
   * says, `{session}` for the name of a conversation, `{timeout}` for seconds. Nib hosts find `check` by NIB_AGENT.
   */
  readonly hostCommand: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** How long one turn may take; 10 when absent. */
  readonly timeoutSecs?: number;
  readonly only?: readonly string[];
  readonly onResult?: (result: CaseResult) => void;
  /** Ends the check and every process that it has started. */
  readonly signal?: AbortSignal;
}

/** Puts a host to the test: it is given an agent that plays each case, and what the user sees is looked at. */
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
  const looking: Looking = { around, shared: new Map(), timeOuts: createHostTimeOuts() };
  try {
    const cases = await runCases<HostGiven, HostSight>(HOST_CASES[dialect], {
      ...options,
      concurrency: 2,
      examine: (one) => examine(one, looking),
    });
    return createReport(
      { dialect, kind: 'host', command: hostCommand },
      cases,
      interruptedBy(options.signal) ?? hostStoppedBy(looking.timeOuts),
    );
  } finally {
    place.remove();
  }
}

/** What the cases of one check share. */
interface Looking {
  readonly around: HostSurroundings;
  readonly shared: Map<HostGiven['runs'], Promise<HostSight | undefined>>;
  readonly timeOuts: HostTimeOuts;
}

/** Cases about the same turn look at the same run, unless they change the surroundings of the host. */
async function examine({ given, expect }: HostCase, looking: Looking): Promise<Verdict> {
  const { around, shared, timeOuts } = looking;
  const missing = given.needs?.find((word) => !around.hostCommand.some((part) => part.includes(word)));
  if (missing !== undefined) return skip(`the command has no ${missing}`);
  if (isGivenUp(timeOuts)) {
    timeOuts.untried += 1;
    return skip('not tried: the host was not done in time');
  }
  const plain = given.env === undefined && given.timeoutSecs === undefined;
  const running = (plain ? shared.get(given.runs) : undefined) ?? look(given, looking);
  if (plain) shared.set(given.runs, running);
  const sight = await running;
  if (sight === undefined) return skip('there is nothing to run');
  if (sight.ending.failure !== undefined)
    return fail('a command that can be started', sight.ending.failure.message);
  if (sight.agent === undefined) return fail('the host to start the agent', sight.told.trim() || 'nothing');
  return judge(expect, sight);
}

async function look(given: HostGiven, { around, timeOuts }: Looking): Promise<HostSight | undefined> {
  const sight = await observeHost(given, around);
  if (sight !== undefined) noteHostSight(timeOuts, sight);
  return sight;
}

/** The cases of a dialect, without running them. */
export function listHostCases(
  dialect: DialectName,
): readonly Pick<Case<unknown, unknown>, 'id' | 'title' | 'level'>[] {
  return HOST_CASES[dialect];
}
