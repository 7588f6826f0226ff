import { randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, type Ending, LONGEST_TIMER, spawn } from '@plugboard/process';
import {
  createTurn,
  type DialectName,
  dialects,
  type Event,
  type HostEffect,
  type HostSide,
  type Settings,
} from '@plugboard/protocol';
import { LINGER, TAG, taggedProcesses } from './leftovers.ts';
import type { Place } from './place.ts';
import { readOutput } from './process-output.ts';
import type { SeenLine, Sight, Start } from './sight.ts';
import { type Progress, takeSteps } from './steps.ts';

/** Settings of all processes of one check. */
export interface Surroundings {
  readonly command: readonly string[];
  readonly dialect: DialectName;
  readonly environment: Readonly<Record<string, string>>;
  readonly place: Place;
  /** Limit of one answer. */
  readonly timeoutMs: number;
  /** Abort kills the running processes at once. */
  readonly signal?: AbortSignal | undefined;
  /** Limit from a signal step to the exit. */
  readonly graceMs: number;
}

/** Starts `around.command`, runs the steps of `start` and waits for the exit. */
export async function observeProcess(start: Start, around: Surroundings): Promise<Sight> {
  const id = randomUUID();
  const requestFile = join(around.place.scratch, `request-${id}.json`);
  if (start.requestFile !== undefined) writeFileSync(requestFile, start.requestFile, { mode: 0o600 });
  const gone = join(around.place.scratch, `gone-${id}`);
  const before = start.comparesFiles ? around.place.readFiles() : undefined;
  const child = startChild(start, around, { [TAG]: id, PLUGBOARD_CHECK_GONE: gone, requestFile });
  stopWith(child, around.signal);
  const startedAt = performance.now();
  const seen = readOutput(child, startedAt, (line) => {
    const reply = start.reply?.(line);
    if (reply !== undefined) child.write(reply);
  });
  let endedAt = Number.POSITIVE_INFINITY;
  const exited = child.exited.then(() => {
    endedAt = performance.now() - startedAt;
  });
  const looking = start.looksForLeftovers ? lookForLeftovers(child, id, gone, exited) : undefined;
  const progress = await takeSteps(start.steps, { child, seen, exited, startedAt, ...around });
  const overdue = await killIfOverdue(child, exited, progress, around);
  const ending = await child.ended;
  const leftovers = await looking;
  seen.finish();
  return {
    start,
    place: around.place,
    stdout: Buffer.concat(seen.chunks),
    lines: seen.lines,
    stderr: ending.stderr,
    ending,
    endedAt,
    overdue: overdue || ending.cause === 'limit',
    flooded: ending.cause === 'limit',
    ...(progress.missed === undefined ? {} : { missed: progress.missed }),
    marks: progress.marks,
    doneAt: progress.doneAt,
    ...(progress.signalledAt === undefined ? {} : { signalMs: endedAt - progress.signalledAt }),
    ...(leftovers === undefined ? {} : { leftovers }),
    ...(before === undefined ? {} : { files: { before, after: around.place.readFiles() } }),
    requestFileLeft: start.requestFile !== undefined && existsSync(requestFile),
    // After cause `limit` there are up to `MOST_LINES` lines: `eventsOf` would take seconds for them.
    events: ending.cause === 'limit' ? [] : eventsOf(around.dialect, seen.lines, ending),
  };
}

/** Kills `child` when `signal` is aborted. */
export function stopWith(child: Child, signal: AbortSignal | undefined): void {
  const stop = (): void => child.stop('cancel', { graceMs: 0 });
  if (signal?.aborted === true) return stop();
  signal?.addEventListener('abort', stop, { once: true });
  child.ended.then(() => signal?.removeEventListener('abort', stop));
}

function startChild(
  start: Start,
  { command, environment, place }: Surroundings,
  { requestFile, ...tags }: Record<string, string>,
): Child {
  const lingering = start.looksForLeftovers ? ['/bin/sh', '-c', LINGER, 'sh', ...command] : command;
  const [file = '', ...args] = lingering;
  const named = start.requestFile === undefined ? {} : { NIB_AGENT_REQUEST_FILE: requestFile ?? '' };
  return spawn(
    {
      file,
      args,
      cwd: place.workspace,
      env: { ...environment, ...tags, ...named, ...start.env } as Record<string, string>,
    },
    { killGraceMs: 0, drainMs: 200 },
  );
}

/**
 * Waits for the exit: `graceMs` after a signal step, otherwise `timeoutMs`. True if it killed the process at the limit.
 */
async function killIfOverdue(
  child: Child,
  exited: Promise<void>,
  progress: Progress,
  { timeoutMs, graceMs }: Surroundings,
): Promise<boolean> {
  if (progress.stopped) {
    child.stop('cancel', { graceMs: 0 });
    await exited;
    return false;
  }
  const limit = progress.signalledAt === undefined ? timeoutMs : graceMs;
  const inTime = await settlesWithin(exited, limit);
  if (!inTime) child.stop('timeout', { graceMs: 0 });
  return !inTime;
}

/** True if `promise` settles within `limitMs`. */
export async function settlesWithin(promise: Promise<void>, limitMs: number): Promise<boolean> {
  const controller = new AbortController();
  const late = sleep(Math.min(limitMs, LONGEST_TIMER), false, { signal: controller.signal }).catch(
    () => false,
  );
  const inTime = await Promise.race([promise.then(() => true), late]);
  controller.abort();
  return inTime;
}

/** Lists tagged processes while the `LINGER` shell is alive; it creates the file `gone` when the agent exits. */
async function lookForLeftovers(
  child: Child,
  tag: string,
  gone: string,
  exited: Promise<void>,
): Promise<readonly string[]> {
  let over = false;
  exited.then(() => {
    over = true;
  });
  while (!over && !existsSync(gone)) await sleep(20);
  // 200 ms for children that are about to exit.
  await sleep(200);
  return taggedProcesses(tag, child.pid() ?? 0);
}

/** The events that our own host side reads out of the lines of a one-shot agent; none for a resident one. */
function eventsOf(name: DialectName, lines: readonly SeenLine[], ending: Ending): Event[] {
  const host = dialects[name].host as HostSide<Settings, unknown>;
  if (host.process === 'per-session') return [];
  const settings = { ...dialects[name].defaults, ...dialects[name].commandSettings } as Settings;
  const state = host.initial(settings, { environment: {}, workspace: '/' });
  const effects: HostEffect[] = [];
  host.step(state, { type: 'send', turn: createTurn({ id: 'check' }) }, effects);
  for (const { text } of lines) host.step(state, { type: 'line', text }, effects);
  host.step(state, { type: 'exit', exit: ending }, effects);
  return effects.flatMap((effect) => (effect.type === 'events' ? effect.events : []));
}
