import { onStanding, standing } from './shown.ts';

/** The gateway sends a comment every 15 s: after three of them nobody is there. */
const SILENCE = 45_000;
/** A reader who comes back need not wait for that: one comment that is missing is enough. */
const STALE = 20_000;
/** A browser opens six connections to one address. A tab that nobody sees must not hold on to two of them. */
const HIDDEN_GRACE = 20_000;
const LOOK_EVERY = 5_000;

/** A connection that is looked after. */
export interface Watched {
  /** Aborted when the connection is of no use any more: silent, offline, or in a tab nobody sees. */
  readonly signal: AbortSignal;
  /** Something was heard. */
  alive(): void;
  /** Whether it was given up by this side, so that nothing speaks against trying again. */
  letGo(): boolean;
  end(): void;
}

/**
 * Watches one connection. What was heard when is told by the clock on the wall: timers stand still while a computer
 * sleeps, and a connection that died meanwhile says nothing.
 */
export function watchConnection(outer: AbortSignal): Watched {
  const controller = new AbortController();
  let heard = Date.now();
  let letGo = false;
  const end = (): void => {
    clearInterval(looking);
    clearTimeout(hidden);
    controller.abort();
  };
  const giveUp = (): void => {
    letGo = true;
    end();
  };
  const silentFor = (ms: number): boolean => Date.now() - heard > ms;
  const looking = setInterval(() => silentFor(SILENCE) && giveUp(), LOOK_EVERY);
  let hidden: ReturnType<typeof setTimeout> | undefined;
  const look = (): void => {
    clearTimeout(hidden);
    const now = standing();
    if (now === 'aside' || (now === 'shown' && silentFor(STALE))) giveUp();
    else if (now === 'hidden') hidden = setTimeout(giveUp, HIDDEN_GRACE);
  };
  onStanding(look, controller.signal);
  window.addEventListener('offline', end, { signal: controller.signal });
  outer.addEventListener('abort', end, { signal: controller.signal });
  look();
  return {
    signal: controller.signal,
    alive() {
      heard = Date.now();
    },
    letGo: () => letGo,
    end,
  };
}
