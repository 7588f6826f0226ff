import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from '@plugboard/process';
import type { Step, Wait } from './sight.ts';
import type { Watch } from './watch.ts';

/** How far the steps came. */
export interface Progress {
  readonly marks: number[];
  /** When each step was done, in milliseconds since the start. */
  readonly doneAt: number[];
  missed: string | undefined;
  signalledAt: number | undefined;
  /** Nothing more is to be learned: the process need not end by itself. */
  stopped: boolean;
}

/** What the steps are done to. */
export interface Stage {
  readonly child: Child;
  readonly seen: Watch;
  readonly exited: Promise<void>;
  readonly startedAt: number;
  readonly timeoutMs: number;
}

/** Does one step after the other; what is waited for in vain ends it. */
export async function takeSteps(steps: readonly Step[], stage: Stage): Promise<Progress> {
  const progress: Progress = {
    marks: [],
    doneAt: [],
    missed: undefined,
    signalledAt: undefined,
    stopped: false,
  };
  for (const step of steps) {
    await take(step, stage, progress);
    progress.marks.push(stage.seen.lines.length);
    progress.doneAt.push(performance.now() - stage.startedAt);
    if (progress.stopped) break;
  }
  return progress;
}

async function take(
  step: Step,
  { child, seen, exited, startedAt, timeoutMs }: Stage,
  progress: Progress,
): Promise<void> {
  if ('send' in step) child.write(step.send);
  else if ('close' in step) child.closeInput();
  else if ('pauseMs' in step) await Promise.race([sleep(step.pauseMs), exited]);
  else if ('stop' in step) progress.stopped = true;
  else if ('signal' in step) {
    if (signal(child, step.signal)) progress.signalledAt = performance.now() - startedAt;
  } else if (!(await came(step.wait, seen, exited, timeoutMs))) {
    progress.missed = step.wait.what;
    progress.stopped = true;
  }
}

/** To the whole group, as hosts do it; false when nobody is left to hear it. */
function signal(child: Child, name: NodeJS.Signals): boolean {
  const pid = child.pid();
  if (pid === undefined) return false;
  try {
    process.kill(-pid, name);
    return true;
  } catch {
    return false;
  }
}

async function came(wait: Wait, seen: Watch, exited: Promise<void>, timeoutMs: number): Promise<boolean> {
  const controller = new AbortController();
  const late = sleep(timeoutMs, 'late' as const, { signal: controller.signal }).catch(() => 'late' as const);
  // Output may still be on its way when the process has gone.
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
