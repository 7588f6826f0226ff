import { randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, LONGEST_TIMER, spawn } from '@plugboard/process';
import type { DialectName } from '@plugboard/protocol';
import { eventsOf } from './events.ts';
import { LINGER, TAG, taggedProcesses } from './leftovers.ts';
import type { Place } from './place.ts';
import type { Sight, Start } from './sight.ts';
import { type Progress, takeSteps } from './steps.ts';
import { watch } from './watch.ts';

/** What every process of one check has in common. */
export interface Surroundings {
  readonly command: readonly string[];
  readonly dialect: DialectName;
  readonly environment: Readonly<Record<string, string>>;
  readonly place: Place;
  /** How long an answer may take. */
  readonly timeoutMs: number;
  /** Ends everything at once. */
  readonly signal?: AbortSignal | undefined;
  /** How long the end may take after a signal. */
  readonly graceMs: number;
}

/** Starts the command, does the steps to it and sees it to its end. */
export async function observe(start: Start, around: Surroundings): Promise<Sight> {
  const id = randomUUID();
  const requestFile = join(around.place.scratch, `request-${id}.json`);
  if (start.requestFile !== undefined) writeFileSync(requestFile, start.requestFile, { mode: 0o600 });
  const gone = join(around.place.scratch, `gone-${id}`);
  const before = start.comparesFiles ? around.place.readFiles() : undefined;
  const child = startChild(start, around, { [TAG]: id, PLUGBOARD_CHECK_GONE: gone, requestFile });
  stopWith(child, around.signal);
  const startedAt = performance.now();
  const seen = watch(child, startedAt, (line) => {
    const reply = start.reply?.(line);
    if (reply !== undefined) child.write(reply);
  });
  let endedAt = Number.POSITIVE_INFINITY;
  const exited = child.exited.then(() => {
    endedAt = performance.now() - startedAt;
  });
  const looking = start.looksForLeftovers ? lookForLeftovers(child, id, gone, exited) : undefined;
  const progress = await takeSteps(start.steps, { child, seen, exited, startedAt, ...around });
  const overdue = await sawEnd(child, exited, progress, around);
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
    // The lines of a flood are no answer, and reading all of them takes seconds.
    events: ending.cause === 'limit' ? [] : eventsOf(around.dialect, seen.lines, ending),
  };
}

/** Whoever started the check may end it, and with it every process that it has started. */
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

/** Waits for the end, for as long as the last step allows; true when it had to be brought about. */
async function sawEnd(
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
  const inTime = await within(exited, limit);
  if (!inTime) child.stop('timeout', { graceMs: 0 });
  return !inTime;
}

/** Whether a promise settles before the time is over. */
export async function within(promise: Promise<void>, limitMs: number): Promise<boolean> {
  const controller = new AbortController();
  const late = sleep(Math.min(limitMs, LONGEST_TIMER), false, { signal: controller.signal }).catch(
    () => false,
  );
  const inTime = await Promise.race([promise.then(() => true), late]);
  controller.abort();
  return inTime;
}

/** Waits until the agent has gone and its host side still lingers, then looks round. */
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
  // A child that is about to end by itself is given the time to do so.
  await sleep(200);
  return taggedProcesses(tag, child.pid() ?? 0);
}
