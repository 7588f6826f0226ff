import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { type Child, spawn } from '@plugboard/process';
import { type DialectName, dialects } from '@plugboard/protocol';
import { killProcess, killTagged, TAG } from '../observe/leftovers.ts';
import { settlesWithin, stopWith } from '../observe/observe.ts';
import type { Place } from '../observe/place.ts';
import type { HostGiven, HostRun, HostSight } from './host-case.ts';
import type { Recording } from './script.ts';
import { createWrapper, type Wrapper } from './wrapper.ts';

/** What every run of one check has in common. */
export interface HostSurroundings {
  readonly hostCommand: readonly string[];
  readonly dialect: DialectName;
  readonly environment: Readonly<Record<string, string>>;
  readonly place: Place;
  readonly timeoutMs: number;
  /** Aborts the run and kills its processes. */
  readonly signal?: AbortSignal | undefined;
}

/** Starts the host once for each run, in one session; the last run is what counts. */
export async function observeHost(
  given: HostGiven,
  around: HostSurroundings,
): Promise<HostSight | undefined> {
  const directory = mkdtempSync(join(around.place.scratch, 'case-'));
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
  const tag = randomUUID();
  const child = spawn(
    {
      file,
      args,
      cwd: around.place.workspace,
      env: { ...around.environment, [TAG]: tag, ...nibVariables(wrapper, around), ...given.env },
    },
    { killGraceMs: 0 },
  );
  stopWith(child, around.signal);
  child.closeInput();
  const output = collectOutput(child);
  const startedAt = performance.now();
  let durationMs = 0;
  const exited = child.exited.then(() => {
    durationMs = performance.now() - startedAt;
  });
  const inTime = await settlesWithin(exited, around.timeoutMs);
  if (!inTime) child.stop('timeout', { graceMs: 0 });
  const ending = await child.ended;
  const agent = wrapper.recording();
  const agentLeft = agent !== undefined && isRunning(agent.pid);
  endProcesses(agent, tag);
  const overdue = !inTime || ending.cause === 'limit';
  return { run, agent, agentLeft, ...output(), ending, durationMs, overdue };
}

/** Limit of both streams together; the largest case has 1 MB. Above it the host is stopped with cause `limit`. */
const MOST_BYTES = 64 * 1024 * 1024;

type Output = Pick<HostSight, 'stdout' | 'told' | 'pieces'>;

/** Reads stdout and stderr of a host; the returned function joins the chunks so far. */
function collectOutput(child: Child): () => Output {
  const startedAt = performance.now();
  const decoder = new StringDecoder('utf8');
  const stderr: Uint8Array[] = [];
  const pieces: { at: number; chars: number }[] = [];
  let stdout = '';
  let bytes = 0;
  const isTooMuch = (chunk: Uint8Array): boolean => {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) child.stop('limit', { graceMs: 0 });
    return bytes > MOST_BYTES;
  };
  child.stdout?.on('data', (chunk: Uint8Array) => {
    if (isTooMuch(chunk)) return;
    stdout += decoder.write(Buffer.from(chunk));
    pieces.push({ at: performance.now() - startedAt, chars: stdout.length });
  });
  child.onStderr((chunk) => void (isTooMuch(chunk) || stderr.push(chunk)));
  return () => {
    const shown = stdout + decoder.end();
    return { stdout: shown, told: `${shown}\n${Buffer.concat(stderr).toString('utf8')}`, pieces };
  };
}

/** Kills the agent, its `grandchildren` and every process with the tag that a host has left running. */
function endProcesses(agent: Recording | undefined, tag: string): void {
  const known = agent === undefined ? [] : [agent.pid, ...agent.grandchildren];
  for (const pid of known) killProcess(pid);
  killTagged(tag);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** A nib host finds its agent by name. */
function nibVariables(wrapper: Wrapper, { dialect, environment }: HostSurroundings): Record<string, string> {
  if (dialects[dialect].startsInProject !== true) return {};
  return { NIB_AGENT: 'check', PATH: `${wrapper.directory}:${environment.PATH ?? '/usr/bin:/bin'}` };
}
