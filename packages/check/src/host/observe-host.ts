import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from '@plugboard/process';
import type { DialectName } from '@plugboard/protocol';
import { stopWith, within } from '../observe/observe.ts';
import type { Place } from '../observe/place.ts';
import type { HostGiven, HostRun, HostSight } from './host-case.ts';
import { createWrapper, type Wrapper } from './wrapper.ts';

/** What every run of one check has in common. */
export interface HostSurroundings {
  readonly hostCommand: readonly string[];
  readonly dialect: DialectName;
  readonly environment: Readonly<Record<string, string>>;
  readonly place: Place;
  readonly timeoutMs: number;
  /** Ends everything at once. */
  readonly signal?: AbortSignal | undefined;
}

/** Starts the host once for each run, in one session; the last run is what counts. */
export async function observeHost(
  given: HostGiven,
  around: HostSurroundings,
): Promise<HostSight | undefined> {
  const directory = mkdtempSync(join(around.place.directory, 'case-'));
  const session = `check-${directory.slice(-6)}`;
  let sight: HostSight | undefined;
  for (const run of given.runs) {
    // One path for all: a host may know the agent by it, and sessions belong to an agent.
    const wrapper = createWrapper(join(directory, 'agent'), run.trigger, run.play);
    sight = await observeRun(run, wrapper, given, session, around);
  }
  return sight;
}

async function observeRun(
  run: HostRun,
  wrapper: Wrapper,
  given: HostGiven,
  session: string,
  around: HostSurroundings,
): Promise<HostSight> {
  const words: Readonly<Record<string, string>> = {
    '{agent}': wrapper.path,
    '{message}': run.message,
    '{session}': session,
    '{timeout}': String(given.timeoutSecs ?? 30),
  };
  // One pass over the command: a message that holds the name of a placeholder stays as it is.
  const fill = (word: string): string =>
    word.replace(/\{(?:agent|message|session|timeout)\}/g, (name) => words[name] ?? name);
  const [file = '', ...args] = around.hostCommand.map(fill);
  const child = spawn(
    {
      file,
      args,
      cwd: around.place.workspace,
      env: { ...around.environment, ...nibVariables(wrapper, around), ...given.env },
    },
    { killGraceMs: 0 },
  );
  stopWith(child, around.signal);
  child.closeInput();
  const stdout: Uint8Array[] = [];
  const stderr: Uint8Array[] = [];
  child.stdout?.on('data', (chunk: Uint8Array) => stdout.push(chunk));
  child.onStderr((chunk) => stderr.push(chunk));
  const startedAt = performance.now();
  let durationMs = 0;
  const exited = child.exited.then(() => {
    durationMs = performance.now() - startedAt;
  });
  const overdue = !(await within(exited, around.timeoutMs));
  if (overdue) child.stop('timeout', { graceMs: 0 });
  const ending = await child.ended;
  const agent = wrapper.recording();
  for (const pid of agent?.grandchildren ?? []) kill(pid);
  const shown = Buffer.concat(stdout).toString('utf8');
  const told = `${shown}\n${Buffer.concat(stderr).toString('utf8')}`;
  return { run, agent, stdout: shown, told, ending, durationMs, overdue };
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // A good host has ended it already.
  }
}

/** A nib host finds its agent by name. */
function nibVariables(wrapper: Wrapper, { dialect, environment }: HostSurroundings): Record<string, string> {
  if (dialect !== 'nib') return {};
  return { NIB_AGENT: 'check', PATH: `${wrapper.directory}:${environment.PATH ?? '/usr/bin:/bin'}` };
}
