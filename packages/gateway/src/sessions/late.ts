import type { ResidentControls, Run } from '@plugboard/host';

/**
 * What was given to a running turn and came too late for it: its agent answers that in turns of its own, which belong to
 * the turn of the session all the same.
 */
export interface LateAnswers {
  /** Something was given to the turn: from now on what the agent begins by itself is an answer to that. */
  expected: boolean;
  add(run: Run): void;
  /** The next of them; undefined when the agent has nothing left to answer. */
  next(resident: ResidentControls): Promise<Run | undefined>;
}

export function createLateAnswers(): LateAnswers {
  const runs: Run[] = [];
  let wake: (() => void) | undefined;
  return {
    expected: false,
    add(run) {
      runs.push(run);
      wake?.();
    },
    async next(resident) {
      if (runs.length === 0) {
        const arrival = new Promise<void>((resolve) => {
          wake = resolve;
        });
        await Promise.race([arrival, resident.whenIdle()]);
      }
      return runs.shift();
    },
  };
}
