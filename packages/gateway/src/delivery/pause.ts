import type { Clock } from '../clock.ts';

/** Rate-limit pause of a channel. */
export interface Pause {
  /** Remaining milliseconds. */
  readonly leftMs: number;
  /** Extends the pause to at least `ms` from now. */
  hold(ms: number): void;
}

export function createPause({ now }: Clock): Pause {
  let until = 0;
  return {
    get leftMs() {
      return Math.max(0, Math.ceil(until - now()));
    },
    hold(ms) {
      until = Math.max(until, now() + ms);
    },
  };
}
