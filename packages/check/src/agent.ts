import { type DialectName, dialects } from '@plugboard/protocol';
import { type Case, combineVerdicts, createFailure, createSkip, type Verdict } from './case.ts';
import { AGENT_CASES } from './cases/index.ts';
import type { AgentCase, Scene, Seen } from './cases/scene.ts';
import { withoutSigns } from './observe/environment.ts';
import { observeProcess, type Surroundings } from './observe/observe.ts';
import { createPlace, type Place } from './observe/place.ts';
import type { Sight } from './observe/sight.ts';
import { type CaseResult, createReport, interruptedBy, type Report } from './report.ts';
import { runCases } from './run-cases.ts';
import { createTimeOuts, noteSight, skipUntried, stoppedBy, type TimeOuts, withHint } from './time-outs.ts';

/** Options of `checkAgent`. */
export interface CheckAgentOptions {
  readonly dialect: DialectName;
  /** The variables the agent runs with, less those that belong to a dialect. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where the agent is started; nib agents always get a throw-away project, since they edit files. */
  readonly workspace?: string;
  /** How long one answer may take; 30 when absent. */
  readonly timeoutSecs?: number;
  /** How long the end may take after SIGTERM; 5 when absent. */
  readonly graceSecs?: number;
  /** Ids of cases, or the beginnings of ids. */
  readonly only?: readonly string[];
  readonly onResult?: (result: CaseResult) => void;
  /** Ends the check and every process that it has started. */
  readonly signal?: AbortSignal;
}

/** Puts an agent to the test. It is started many times; resident agents one at a time, others two. */
export async function checkAgent(command: readonly string[], options: CheckAgentOptions): Promise<Report> {
  const { dialect } = options;
  const { startsInProject } = dialects[dialect];
  const places: Place[] = [];
  const addPlace = (): Place => {
    const place = createPlace(startsInProject ? undefined : options.workspace);
    places.push(place);
    return place;
  };
  // An agent with `startsInProject` edits the project, so each process gets a project of its own.
  const common = startsInProject ? undefined : addPlace();
  const around: Omit<Surroundings, 'place'> = {
    command,
    dialect,
    environment: withoutSigns(options.environment),
    timeoutMs: (options.timeoutSecs ?? 30) * 1000,
    signal: options.signal,
    graceMs: (options.graceSecs ?? 5) * 1000,
  };
  const looking: Looking = {
    around,
    placeFor: () => common ?? addPlace(),
    shared: new Map(),
    timeOuts: createTimeOuts(around),
  };
  try {
    const cases = await runCases<Scene, Seen>(AGENT_CASES[dialect], {
      ...options,
      concurrency: dialects[dialect].capabilities.resident ? 1 : 2,
      examine: (one) => examineCase(one, looking),
    });
    const stopped = interruptedBy(options.signal) ?? stoppedBy(looking.timeOuts);
    return createReport({ dialect, kind: 'agent', command }, cases, stopped);
  } finally {
    for (const place of places) place.remove();
  }
}

/** What the cases of one check share. */
interface Looking {
  readonly around: Omit<Surroundings, 'place'>;
  /** The project for the next process. */
  placeFor(): Place;
  readonly shared: Map<Scene['first'], Promise<Sight>>;
  readonly timeOuts: TimeOuts;
}

/** Cases that begin in the same way look at the same process: what was seen once need not be seen again. */
async function examineCase({ given, expect }: AgentCase, looking: Looking): Promise<Verdict> {
  const { shared, timeOuts } = looking;
  const givenUp = skipUntried(timeOuts);
  if (givenUp !== undefined) return givenUp;
  const running = shared.get(given.first) ?? observeStart(given.first, looking.placeFor(), looking);
  shared.set(given.first, running);
  const first = await running;
  const place = given.keepsPlace ? first.place : looking.placeFor();
  const start = given.second?.(first, place);
  if (start !== undefined && 'skip' in start) return withHint(timeOuts, first, createSkip(start.skip));
  const last = start === undefined ? first : await observeStart(() => start, place, looking);
  if (last.ending.failure !== undefined)
    return createFailure('a command that can be started', last.ending.failure.message);
  return withHint(timeOuts, last, combineVerdicts(expect, { first, last }));
}

async function observeStart(
  start: Scene['first'],
  place: Place,
  { around, timeOuts }: Looking,
): Promise<Sight> {
  const sight = await observeProcess(start(place), { ...around, place });
  noteSight(timeOuts, sight);
  return sight;
}

/** The cases of a dialect, without running them. */
export function listAgentCases(
  dialect: DialectName,
): readonly Pick<Case<unknown, unknown>, 'id' | 'title' | 'level'>[] {
  return AGENT_CASES[dialect];
}
