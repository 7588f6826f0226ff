/** Node fires a longer timer after 1 ms instead of late. */
const LONGEST_TIMER = 2 ** 31 - 1;

export interface Alarm {
  /** Rings at this `performance.now()`; replaces an earlier time. */
  at(time: number): void;
  clear(): void;
}

/** One timer that can be moved and may lie further off than a Node timer reaches, even at Infinity. */
export function createAlarm(ring: () => void): Alarm {
  let timer: NodeJS.Timeout | undefined;

  const at = (time: number): void => {
    clearTimeout(timer);
    const delay = Math.min(Math.max(0, time - performance.now()), LONGEST_TIMER);
    timer = setTimeout(() => (performance.now() < time ? at(time) : ring()), delay);
  };
  return { at, clear: () => clearTimeout(timer) };
}
