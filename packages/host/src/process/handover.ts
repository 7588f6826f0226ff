import type { Child } from '@plugboard/process';

/** An agent that has been silent for this time after its turn gets the end of its input. */
const PATIENCE_MS = 10;

/** After this many consecutive turns without a quick answer, `give` closes the input at once. */
const MISSES = 3;

/** Gives turns to the prewarmed processes of one agent. */
export interface Handover {
  /** Writes the turn, and closes the input with it or up to `PATIENCE_MS` later. */
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
 * Most agents answer the line that they waited for. `give` ends their input only after the first output: closing a pipe
 * takes about as long as a short turn, and a quick agent on the same processor would have to wait. An agent that reads
 * to the end of its input never answers within `PATIENCE_MS`; after `MISSES` turns it gets both at once.
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
          // In `setImmediate`, so that the reader of the answer runs before the pipe is closed.
          setImmediate(() => child.closeInput());
        },
        clear,
      };
    },
  };
}
