import type { Child } from './child.ts';
import type { Limits } from './command.ts';
import { cutOff, drained } from './drain.ts';
import { type Cause, type Ending, endingOf, endingOfFailure } from './ending.ts';
import type { Departure, Started } from './started.ts';
import { createTail, type Tail } from './stderr.ts';
import { createLadder, type Ladder } from './terminate/ladder.ts';
import { killStragglers } from './terminate/stragglers.ts';

/** One process, and what became of it so far. */
interface Life {
  readonly started: Started;
  readonly mark: string;
  readonly at: number;
  readonly tail: Tail;
  readonly ladder: Ladder;
  readonly drainMs: number;
  cause: Cause | undefined;
}

/** A process that was started at `at`, from there to its one record of how it ended. */
export function follow(started: Started, mark: string, at: number, limits: Limits): Child {
  const { stdin, stdout, stderr } = started;
  const tail = createTail(limits.stderrTailBytes ?? 65_536);
  const closeInput = (last?: string | Uint8Array): void => {
    if (last === undefined || !stdin?.writable) stdin?.end();
    else stdin.end(last);
  };
  const ladder = createLadder({ closeInput, signal: (name) => started.signal(name) });
  const life: Life = { started, mark, at, tail, ladder, drainMs: limits.drainMs ?? 500, cause: undefined };

  // Always read, whoever listens: a full stderr pipe would block the child for ever.
  stderr?.onData((chunk) => tail.push(chunk));
  const departed = departureOf(life);

  return {
    pid: started.pid,
    stdout,
    exited: departed.then(() => {}),
    ended: windUp(life, departed),
    stderrTail: tail.text,
    // `write` also answers false when the pipe has just broken, which counts as taken.
    write: (data) => !stdin?.writable || stdin.write(data) || !stdin.writable,
    pendingInput: started.pendingInput,
    closeInput,
    stop(cause, { inputGraceMs = 0, graceMs = limits.killGraceMs ?? 5000 } = {}) {
      life.cause ??= cause;
      ladder.climb(inputGraceMs, graceMs);
    },
    onStderr: (listener) => stderr?.onData(listener),
  };
}

interface TimedDeparture extends Departure {
  readonly durationMs: number;
}

async function departureOf(life: Life): Promise<TimedDeparture> {
  const departure = await life.started.departed;
  if (neverRan(departure)) life.cause = 'spawn';
  life.cause ??= departure.failure ? 'spawn' : departure.signal === null ? 'exit' : 'signal';
  return { ...departure, durationMs: performance.now() - life.at };
}

function neverRan({ failure, signal }: Departure): boolean {
  return failure !== undefined && signal === null;
}

async function windUp(life: Life, departed: Promise<TimedDeparture>): Promise<Ending> {
  const how = await departed;
  const { started, cause = 'exit' } = life;
  if (neverRan(how)) await cutOffOutput(started);
  else if (started.grouped) await clearAway(life);
  // What it has started shares our group with it, and is only found by its mark.
  else if (cause !== 'exit' && cause !== 'signal') await killStragglers(life.mark);
  await started.stderr?.settled();
  life.ladder.release();
  started.stdin?.destroy();
  started.stderr?.close();
  started.release();
  const { code, signal, durationMs, failure } = how;
  const stderr = life.tail.text();
  if (cause === 'spawn' && failure) return endingOfFailure(failure, durationMs, stderr);
  return endingOf(cause, { code, signal }, durationMs, stderr);
}

/**
 * Everything in the process group is killed when the process has exited. The number of the group is safe to signal: while a
 * member lives nobody else gets it, and once it is free Linux does not give it out again for a long time.
 */
async function clearAway(life: Life): Promise<void> {
  const { ladder, started } = life;
  const { stdout } = started;
  const wait = { quietMs: life.drainMs, since: stdout?.bytesRead ?? 0, hurried: ladder.climbing };
  const isDrained = (): Promise<boolean> | true => stdout === null || drained(stdout, wait);

  let over = !ladder.killed() && (await isDrained());
  started.signal('SIGKILL');
  over ||= await isDrained();
  // Programs that left the group with setsid survive a clean exit, unless they hold stdout.
  if (life.cause !== 'exit' || !over) await killStragglers(life.mark);
  await cutOffOutput(started);
}

async function cutOffOutput({ stdout }: Started): Promise<void> {
  if (stdout !== null) await cutOff(stdout);
}
