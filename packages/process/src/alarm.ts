/** `setTimeout` fires after 1 ms when its delay is larger than this. */
export const LONGEST_TIMER: number = 2 ** 31 - 1;

/** A timer whose time can be changed. */
export interface Alarm {
  /** Calls `ring` at this `performance.now()`; replaces an earlier time. */
  at(time: number): void;
  clear(): void;
}

/**
 * A timer without the limit of `LONGEST_TIMER`: it accepts even `Infinity`. With `background` it does not keep the
 * program alive.
 */
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
