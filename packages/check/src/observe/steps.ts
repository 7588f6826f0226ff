import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from '@plugboard/process';
import { waitUntilIdle } from './idle.ts';
import type { ProcessOutput } from './process-output.ts';
import type { Step, Wait } from './sight.ts';

/** Result of `takeSteps`; a missed `wait` or a `stop` step ends it early. */
export interface Progress {
  readonly marks: number[];
  /** Time of each step in ms since the start. */
  readonly doneAt: number[];
  missed: string | undefined;
  signalledAt: number | undefined;
  /** The caller must kill the process instead of waiting for its exit. */
  stopped: boolean;
}

export interface StepContext {
  readonly child: Child;
  readonly seen: ProcessOutput;
  readonly exited: Promise<void>;
  readonly startedAt: number;
  readonly timeoutMs: number;
}

/** Runs the steps in order, up to the first `wait` that times out. */
export async function takeSteps(steps: readonly Step[], context: StepContext): Promise<Progress> {
  const progress: Progress = {
    marks: [],
    doneAt: [],
    missed: undefined,
    signalledAt: undefined,
    stopped: false,
  };
  for (const step of steps) {
    await takeStep(step, context, progress);
    progress.marks.push(context.seen.lines.length);
    progress.doneAt.push(performance.now() - context.startedAt);
    if (progress.stopped) break;
  }
  return progress;
}

async function takeStep(
  step: Step,
  { child, seen, exited, startedAt, timeoutMs }: StepContext,
  progress: Progress,
): Promise<void> {
  if ('send' in step) child.write(typeof step.send === 'function' ? step.send(seen.lines) : step.send);
  else if ('close' in step) child.closeInput();
  else if ('pauseMs' in step) await Promise.race([sleep(step.pauseMs), exited]);
  else if ('settleMs' in step) await Promise.race([settle(step.settleMs, child), exited]);
  else if ('stop' in step) progress.stopped = true;
  else if ('signal' in step) {
    if (sendSignal(child, step.signal)) progress.signalledAt = performance.now() - startedAt;
  } else if (!(await waitForOutput(step.wait, seen, exited, timeoutMs))) {
    progress.missed = step.wait.what;
    progress.stopped = true;
  }
}

async function settle(ms: number, child: Child): Promise<void> {
  await sleep(ms);
  const pid = child.pid();
  if (pid !== undefined) await waitUntilIdle(pid);
}

/** Signals the process group (`-pid`), as hosts do. False if the group has ended. */
function sendSignal(child: Child, name: NodeJS.Signals): boolean {
  const pid = child.pid();
  if (pid === undefined) return false;
  try {
    process.kill(-pid, name);
    return true;
  } catch {
    return false;
  }
}

async function waitForOutput(
  wait: Wait,
  seen: ProcessOutput,
  exited: Promise<void>,
  timeoutMs: number,
): Promise<boolean> {
  const controller = new AbortController();
  const late = sleep(timeoutMs, 'late' as const, { signal: controller.signal }).catch(() => 'late' as const);
  // 300 ms after the exit: chunks may still be in the pipe.
  const over = exited.then(() => sleep(300)).then(() => 'over' as const);
  try {
    for (;;) {
      if (wait.done(seen.lines)) return true;
      const what = await Promise.race([seen.news().then(() => 'news' as const), late, over]);
      if (what !== 'news') return wait.done(seen.lines);
    }
  } finally {
    controller.abort();
  }
}
