/** A program that dies this soon never got to wait; later it may well have an idle time-out of its own. */
const EARLY_MS = 5000;
const LIMIT = 3;
const FIRST_PAUSE_MS = 100;

/** A program that was too bad to be started may have been mended by then. */
const GIVEN_UP_MS = 60_000;

export interface Crashes {
  record(ageMs: number): void;
  /** How long no process is to be started from now. */
  readonly pauseMs: number;
  readonly tooMany: boolean;
  forget(): void;
}

/** Counts the early deaths in a row, so that a program that exits at once is not started for ever. */
export function createCrashes(): Crashes {
  let inARow = 0;
  let notBefore = 0;
  return {
    record(ageMs) {
      inARow = ageMs < EARLY_MS ? inARow + 1 : 0;
      const pause = inARow >= LIMIT ? GIVEN_UP_MS : FIRST_PAUSE_MS * 2 ** (inARow - 1);
      if (inARow > 0) notBefore = performance.now() + pause;
    },
    get pauseMs() {
      return Math.max(0, notBefore - performance.now());
    },
    get tooMany() {
      return inARow >= LIMIT;
    },
    forget() {
      inARow = 0;
      notBefore = 0;
    },
  };
}
