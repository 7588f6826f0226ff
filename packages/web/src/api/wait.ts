import { onVisibilityChange, readVisibility } from './shown.ts';

const reached = new EventTarget();

/** Called after each answer of the gateway: `waitForChance` then ends the wait of requests that could not reach it. */
export function noteReached(): void {
  reached.dispatchEvent(new Event('reached'));
}

/**
 * Settles after `ms`, or sooner when the browser is online again or the tab is shown. Also settles on `noteReached`,
 * unless `turnedAway`: two requests that the gateway refuses would otherwise wake each other without a pause.
 */
export function waitForChance(
  ms: number,
  signal: AbortSignal,
  { turnedAway = false }: { readonly turnedAway?: boolean } = {},
): Promise<void> {
  return new Promise((resolve) => {
    const done = new AbortController();
    const finish = (): void => {
      clearTimeout(timer);
      done.abort();
      resolve();
    };
    const timer = setTimeout(finish, ms);
    const listening = { signal: done.signal };
    if (!turnedAway) reached.addEventListener('reached', finish, listening);
    window.addEventListener('online', finish, listening);
    onVisibilityChange(() => readVisibility() === 'shown' && finish(), done.signal);
    if (signal.aborted) finish();
    else signal.addEventListener('abort', finish, listening);
  });
}

/** Settles once the page is shown, so that a hidden tab sends no requests. */
export function untilShown(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = new AbortController();
    const look = (): void => {
      if (readVisibility() !== 'shown' && !signal.aborted) return;
      done.abort();
      resolve();
    };
    onVisibilityChange(look, done.signal);
    signal.addEventListener('abort', look, { signal: done.signal });
    look();
  });
}
