import { type Run, runOf } from '../run/queue.ts';
import type { Job } from './job.ts';

/** Turns that nobody asked for, on their way to whoever wants to hear of them. */
export interface UnaskedTurns {
  /** Whether somebody listens; if not, a turn's events are let go. */
  readonly wanted: boolean;
  add(run: Run): void;
  close(): void;
  iterate(): AsyncIterableIterator<Run>;
}

/** Hands a turn that nobody waits for to whoever listens for such. */
export function announce(unasked: UnaskedTurns, job: Job): void {
  if (unasked.wanted) unasked.add(runOf(job.queue));
  else job.queue.resultWanted = true;
}

/** Keeps the turns that came before they were asked for, and ends the loop when the agent is closed. */
export function createUnaskedTurns(): UnaskedTurns {
  const runs: Run[] = [];
  let closed = false;
  let wanted = false;
  let wake: (() => void) | undefined;
  const notify = (): void => {
    wake?.();
    wake = undefined;
  };
  async function* iterate(): AsyncGenerator<Run, undefined> {
    for (;;) {
      const run = runs.shift();
      if (run !== undefined) yield run;
      else if (closed) return undefined;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
  return {
    get wanted() {
      return wanted;
    },
    add(run) {
      runs.push(run);
      notify();
    },
    close() {
      closed = true;
      notify();
    },
    iterate() {
      wanted = true;
      return iterate();
    },
  };
}
