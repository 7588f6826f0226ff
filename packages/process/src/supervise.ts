import type { Child } from './child.ts';
import type { Limits } from './command.ts';
import { closeOutput, waitForDrain } from './drain.ts';
import { type Cause, createEnding, createFailureEnding, type Ending } from './ending.ts';
import type { Departure, StartedProcess } from './started-process.ts';
import { createStderrTail, type StderrTail } from './stderr-tail.ts';
import { createDescendants, type Descendants } from './terminate/descendants.ts';
import { createStopSequence, type StopSequence } from './terminate/stop-sequence.ts';
import { killStragglers } from './terminate/stragglers.ts';

/** The state of one process. */
interface Supervised {
  readonly started: StartedProcess;
  readonly mark: string;
  readonly at: number;
  readonly tail: StderrTail;
  readonly stopSequence: StopSequence;
  readonly descendants: Descendants;
  readonly drainMs: number;
  cause: Cause | undefined;
}

/** Observes a process that was started at `at`, until its `Ending` is known. */
export function superviseProcess(started: StartedProcess, mark: string, at: number, limits: Limits): Child {
  const { stdin, stdout, stderr } = started;
  const tail = createStderrTail(limits.stderrTailBytes ?? 65_536);
  const closeInput = (last?: string | Uint8Array): void => {
    if (last === undefined || !stdin?.writable) stdin?.end();
    else stdin.end(last);
  };
  const descendants = createDescendants(started.pid);
  const stopSequence = createStopSequence({
    closeInput() {
      descendants.collect();
      closeInput();
    },
    signal(name) {
      descendants.collect();
      started.signal(name);
    },
  });
  const supervised: Supervised = {
    started,
    mark,
    at,
    tail,
    stopSequence,
    descendants,
    drainMs: limits.drainMs ?? 500,
    cause: undefined,
  };

  // Read even without a listener: a full stderr pipe would block the child.
  stderr?.onData((chunk) => tail.push(chunk));
  const departed = waitForDeparture(supervised);

  return {
    pid: started.pid,
    stdout,
    exited: departed.then(() => {}),
    ended: concludeProcess(supervised, departed),
    stderrTail: tail.text,
    // `write` also returns false when the pipe has just broken; that data counts as taken.
    write: (data) => !stdin?.writable || stdin.write(data) || !stdin.writable,
    pendingInput: started.pendingInput,
    closeInput,
    stop(cause, { inputGraceMs = 0, graceMs = limits.killGraceMs ?? 5000 } = {}) {
      supervised.cause ??= cause;
      stopSequence.start(inputGraceMs, graceMs);
    },
    onStderr: (listener) => stderr?.onData(listener),
  };
}

interface TimedDeparture extends Departure {
  readonly durationMs: number;
}

async function waitForDeparture(supervised: Supervised): Promise<TimedDeparture> {
  const departure = await supervised.started.departed;
  if (hasNeverRun(departure)) supervised.cause = 'spawn';
  supervised.cause ??= departure.failure ? 'spawn' : departure.signal === null ? 'exit' : 'signal';
  return { ...departure, durationMs: performance.now() - supervised.at };
}

function hasNeverRun({ failure, signal }: Departure): boolean {
  return failure !== undefined && signal === null;
}

async function concludeProcess(supervised: Supervised, departed: Promise<TimedDeparture>): Promise<Ending> {
  const how = await departed;
  const { started, cause = 'exit' } = supervised;
  if (hasNeverRun(how)) await closeStdout(started);
  else if (started.grouped) await clearProcessGroup(supervised);
  // Its descendants are in our own process group, which must not be signalled; the mark finds them.
  else if (cause !== 'exit' && cause !== 'signal') await killStragglers(supervised.mark);
  await started.stderr?.settled();
  supervised.stopSequence.release();
  started.stdin?.destroy();
  started.stderr?.close();
  started.release();
  const { code, signal, durationMs, failure } = how;
  const stderr = supervised.tail.text();
  if (cause === 'spawn' && failure) return createFailureEnding(failure, durationMs, stderr);
  return createEnding(cause, { code, signal }, durationMs, stderr);
}

/**
 * Kills the process group after the exit. The group id is safe to signal: it stays reserved while a member lives, and
 * Linux does not reuse a freed id for a long time.
 */
async function clearProcessGroup(supervised: Supervised): Promise<void> {
  const { stopSequence, started } = supervised;
  const { stdout } = started;
  const wait = {
    quietMs: supervised.drainMs,
    since: stdout?.bytesRead ?? 0,
    isStopping: stopSequence.hasStarted,
  };
  const isDrained = (): Promise<boolean> | true => stdout === null || waitForDrain(stdout, wait);

  let over = !stopSequence.hasKilled() && (await isDrained());
  started.signal('SIGKILL');
  over ||= await isDrained();
  // Programs that left the group with `setsid` survive a clean exit, unless they hold stdout.
  if (supervised.cause !== 'exit' || !over) {
    supervised.descendants.kill();
    await killStragglers(supervised.mark);
  }
  await closeStdout(started);
}

async function closeStdout({ stdout }: StartedProcess): Promise<void> {
  if (stdout !== null) await closeOutput(stdout);
}
