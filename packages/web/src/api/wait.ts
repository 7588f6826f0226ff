import { onStanding, standing } from './shown.ts';

const reached = new EventTarget();

/** The gateway has just answered somebody: whoever found it gone may try at once. */
export function noteReached(): void {
  reached.dispatchEvent(new Event('reached'));
}

/**
 * Settles after `ms`, or sooner when the network is back or the page is looked at again. Who found nobody there is also
 * called when somebody else gets an answer; who was turned away by the gateway is not, or two of them would call each
 * other on and on.
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
    onStanding(() => standing() === 'shown' && finish(), done.signal);
    if (signal.aborted) finish();
    else signal.addEventListener('abort', finish, listening);
  });
}

/** Settles at once when the page is shown, else when it is shown again. Nothing is asked of the gateway meanwhile. */
export function untilShown(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = new AbortController();
    const look = (): void => {
      if (standing() !== 'shown' && !signal.aborted) return;
      done.abort();
      resolve();
    };
    onStanding(look, done.signal);
    signal.addEventListener('abort', look, { signal: done.signal });
    look();
  });
}
