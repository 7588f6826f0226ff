import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import type { Child } from './child.ts';
import type { Limits } from './command.ts';
import { cutOff, drained, isOver } from './drain.ts';
import { type Cause, type Ending, type Exit, endingOf } from './ending.ts';
import { createTail, type Tail } from './stderr.ts';
import { sendSignal } from './terminate/group.ts';
import { createLadder, type Ladder } from './terminate/ladder.ts';
import { killStragglers } from './terminate/stragglers.ts';

export interface Started {
  readonly process: ChildProcess;
  readonly pid: number;
  readonly mark: string;
  /** Whether it leads a process group of its own. */
  readonly grouped: boolean;
  readonly at: number;
}

interface Run extends Started {
  readonly stdout: Socket | null;
  readonly tail: Tail;
  readonly ladder: Ladder;
  readonly drainMs: number;
  cause: Cause | undefined;
}

/** A process that has started, from here to its one record of how it ended. */
export function follow(started: Started, limits: Limits): Child {
  const { process: child, pid } = started;
  const { stdin, stderr } = child;
  const tail = createTail(limits.stderrTailBytes ?? 65_536);
  const closeInput = (last?: string | Uint8Array): void => {
    if (last === undefined || !stdin?.writable) stdin?.end();
    else stdin.end(last);
  };
  const signal = (name: NodeJS.Signals): void => {
    if (started.grouped) sendSignal(-pid, name);
    else child.kill(name);
  };
  const ladder = createLadder({ closeInput, signal });
  const stdout = ownStdout(child);
  const run: Run = { ...started, stdout, tail, ladder, drainMs: limits.drainMs ?? 500, cause: undefined };

  silenceErrors(child);
  // Always read, whoever listens: a full stderr pipe would block the child for ever.
  stderr?.on('data', (chunk: Buffer) => tail.push(chunk));
  const exit = exitOf(run);

  return {
    pid,
    stdout,
    exited: exit.then(() => {}),
    ended: exit.then((how) => windUp(run, how)),
    stderrTail: tail.text,
    write: (data) => (stdin?.writable ? stdin.write(data) : true),
    get pendingInput() {
      return stdin?.writableLength ?? 0;
    },
    closeInput,
    stop(cause, { inputGraceMs = 0, graceMs = limits.killGraceMs ?? 5000 } = {}) {
      run.cause ??= cause;
      ladder.climb(inputGraceMs, graceMs);
    },
    onStderr: (listener) => void stderr?.on('data', listener),
  };
}

/**
 * After an exit Node resumes every stream it finds in `stdio`, also one that its reader has paused or not yet
 * listened to, and the bytes are gone. Out of that list, the stream belongs to its reader alone.
 */
function ownStdout(child: ChildProcess): Socket | null {
  if (child.stdio !== undefined) Reflect.set(child.stdio, 1, null);
  return child.stdout instanceof Socket ? child.stdout : null;
}

// EPIPE from a child that does not read, ECONNRESET from one that was killed: how it ended is told by `ended`.
function silenceErrors(child: ChildProcess): void {
  const ignore = (): void => {};
  child.on('error', ignore);
  child.stdin?.on('error', ignore);
  child.stdout?.on('error', ignore);
  child.stderr?.on('error', ignore);
}

interface TimedExit extends Exit {
  readonly durationMs: number;
}

function exitOf(run: Run): Promise<TimedExit> {
  return new Promise((resolve) => {
    run.process.once('exit', (code, signal) => {
      run.cause ??= signal === null ? 'exit' : 'signal';
      resolve({ code, signal, durationMs: performance.now() - run.at });
    });
  });
}

async function windUp(run: Run, { code, signal, durationMs }: TimedExit): Promise<Ending> {
  if (run.grouped) await clearAway(run);
  await lastWords(run);
  run.ladder.release();
  run.process.stdin?.destroy();
  run.process.stderr?.destroy();
  return endingOf(run.cause ?? 'exit', { code, signal }, durationMs, run.tail.text());
}

/**
 * Nothing of the group outlives the turn, not even after a clean exit. While a member of the group lives, its number
 * is not given to anybody else; with none left the signal finds nobody, for Linux hands numbers out in a circle.
 */
async function clearAway(run: Run): Promise<void> {
  const { stdout, ladder } = run;
  const wait = { quietMs: run.drainMs, since: stdout?.bytesRead ?? 0, hurried: () => ladder.climbing };
  const isDrained = async (): Promise<boolean> => stdout === null || drained(stdout, wait);

  let over = !ladder.killed && (await isDrained());
  sendSignal(-run.pid, 'SIGKILL');
  over ||= await isDrained();
  // Programs started in the background on purpose stay alive after a clean exit, unless they hold the pipe.
  if (run.cause !== 'exit' || !over) await killStragglers(run.mark);
  if (stdout !== null) await cutOff(stdout);
}

/** What was written to stderr before the exit is there to be read within a turn or two of the event loop. */
async function lastWords({ process: { stderr } }: Run): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) {
    if (!(stderr instanceof Socket) || isOver(stderr)) return;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
