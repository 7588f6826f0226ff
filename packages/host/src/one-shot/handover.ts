import type { Child } from '@plugboard/process';

/** An agent that has said nothing by then is told that its input has ended. */
const PATIENCE_MS = 10;

/** After so many turns without a quick answer, one after the other, none is expected any more. */
const MISSES = 3;

/** How the processes of one agent that wait for their turn are given it. */
export interface Handover {
  /** Writes the turn, and ends the input with it or a moment later. */
  give(child: Pick<Child, 'write' | 'closeInput'>, turn: string): Given | undefined;
}

/** A turn that was given to a process whose input is still open. */
export interface Given {
  /** It has answered: now its input ends. */
  heard(): void;
  /** The process is gone. */
  clear(): void;
}

/**
 * Most agents answer the line they were waiting for. To those the end of their input is told when they have begun to
 * speak: it would take us as long as the turn itself, time in which a quick agent on the same processor has to wait.
 * An agent that reads to the end first is found out by its first turns, and has both at once from then on.
 */
export function createHandover(): Handover {
  let misses = 0;
  return {
    give(child, turn) {
      if (misses >= MISSES) {
        child.closeInput(turn);
        return undefined;
      }
      let timer: NodeJS.Timeout | undefined = setTimeout(() => {
        timer = undefined;
        misses += 1;
        child.closeInput();
      }, PATIENCE_MS);
      const clear = (): void => {
        clearTimeout(timer);
        timer = undefined;
      };
      child.write(turn);
      return {
        heard() {
          if (timer === undefined) return;
          clear();
          misses = 0;
          // Whoever waits for the answer has it first.
          setImmediate(() => child.closeInput());
        },
        clear,
      };
    },
  };
}
