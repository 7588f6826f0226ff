/** An exit within this time counts as a crash; a later one may be an idle timeout of the program itself. */
const EARLY_MS = 5000;
const LIMIT = 3;
const FIRST_PAUSE_MS = 100;

/** Pause after `LIMIT` crashes; by then the program may have been repaired. */
const GIVEN_UP_MS = 60_000;

export interface CrashBackoff {
  record(ageMs: number): void;
  /** Milliseconds until the next start is allowed. */
  readonly pauseMs: number;
  readonly tooMany: boolean;
  reset(): void;
}

/** Counts crashes in a row, so that a program that exits at once is not restarted for ever. */
export function createCrashBackoff(): CrashBackoff {
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
    reset() {
      inARow = 0;
      notBefore = 0;
    },
  };
}
