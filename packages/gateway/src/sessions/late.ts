import type { ResidentControls } from '@plugboard/host';
import type { OwnTurn } from './own.ts';

/**
 * What was given to a running turn and came too late for it: its agent answers that in turns of its own, which belong to
 * the turn of the session all the same.
 */
export interface LateAnswers {
  /** Something was given to the turn: from now on what the agent begins by itself is an answer to that. */
  expected: boolean;
  add(run: OwnTurn): void;
  /** The next of them; undefined when the agent has nothing left to answer. */
  next(resident: Pick<ResidentControls, 'whenIdle'>): Promise<OwnTurn | undefined>;
  /** Those that nobody has waited for. */
  rest(): OwnTurn[];
}

export function createLateAnswers(): LateAnswers {
  const runs: OwnTurn[] = [];
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
        await Promise.race([arrival, resident.whenIdle().then(handedOver)]);
      }
      return runs.shift();
    },
    rest: () => runs.splice(0),
  };
}

/** An agent may have begun and ended several turns in one breath: they are on their way here when it is idle again. */
function handedOver(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
