/** A time in which a platform wants to hear nothing from a channel. */
export interface Pause {
  /** How much of it is left. */
  readonly leftMs: number;
  /** Keeps still for at least so long from now. */
  hold(ms: number): void;
}

export function createPause(now: () => number = () => performance.now()): Pause {
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
