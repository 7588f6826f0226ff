/** Node fires a longer timer after 1 ms instead of late. */
export const LONGEST_TIMER: number = 2 ** 31 - 1;

/** A timer that can be moved. */
export interface Alarm {
  /** Rings at this `performance.now()`; replaces an earlier time. */
  at(time: number): void;
  clear(): void;
}

/** One timer that may lie further off than a Node timer reaches, even at Infinity. A `background` one keeps no program alive. */
export function createAlarm(
  ring: () => void,
  { background = false }: { readonly background?: boolean } = {},
): Alarm {
  let timer: NodeJS.Timeout | undefined;

  const at = (time: number): void => {
    clearTimeout(timer);
    const delay = Math.min(Math.max(0, time - performance.now()), LONGEST_TIMER);
    timer = setTimeout(() => (performance.now() < time ? at(time) : ring()), delay);
    if (background) timer.unref();
  };
  return { at, clear: () => clearTimeout(timer) };
}
