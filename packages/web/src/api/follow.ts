import type { Connection, StreamOptions } from '@plugboard/client';
import { isLoggedOut, isUnreached } from './request.ts';
import { onVisibilityChange, readVisibility } from './shown.ts';
import { noteReached, untilShown, waitForChance } from './wait.ts';

/** How a stream stands: `lost` means that it broke and is being tried again. */
export type Link = 'connecting' | 'live' | 'lost';

export interface Following<Step> {
  readonly signal: AbortSignal;
  /** Opens the stream, as `gateway.feed` does. */
  begin(options: StreamOptions): AsyncIterable<Step>;
  onStep(step: Step): void;
  onLink(link: Link): void;
  /** The session cookie is not accepted any more: following ends. */
  onLoggedOut(): void;
}

/** Follows an event stream until the signal ends it, over every refusal but a lost login, and while the tab is seen. */
export async function followConversation<Step>({
  signal,
  begin,
  onStep,
  onLink,
  onLoggedOut,
}: Following<Step>): Promise<void> {
  onLink('connecting');
  const options: StreamOptions = {
    signal,
    onConnection: watchConnection,
    onOpen() {
      onLink('live');
      noteReached();
    },
    async pause({ error, waitMs }) {
      if (isLoggedOut(error)) throw error;
      // A hidden tab closes its stream by itself, so the link is `connecting` and not `lost`.
      onLink(readVisibility() === 'shown' ? 'lost' : 'connecting');
      if (waitMs > 0) await waitForChance(waitMs, signal, { turnedAway: !isUnreached(error) });
      await untilShown(signal);
    },
  };
  try {
    for await (const step of begin(options)) onStep(step);
  } catch (error) {
    if (!isLoggedOut(error)) throw error;
    onLoggedOut();
  }
}

/**
 * The gateway sends a comment every 15 s: a stream that is silent for longer than `STALE` is closed when the tab is
 * shown again.
 */
const STALE = 20_000;
/** A browser allows 6 connections to one host over HTTP/1.1. A hidden tab must not occupy 2 of them. */
const HIDDEN_GRACE = 20_000;

/**
 * Closes `connection` in a tab that is in the back/forward cache or hidden for `HIDDEN_GRACE`, when it is stale as the
 * tab is shown, and when the browser goes offline.
 */
function watchConnection(connection: Connection): void {
  const { signal } = connection;
  let hidden: ReturnType<typeof setTimeout> | undefined;
  const release = (): void => connection.close('released');
  const look = (): void => {
    clearTimeout(hidden);
    const now = readVisibility();
    if (now === 'aside' || (now === 'shown' && connection.silentMs() > STALE)) release();
    else if (now === 'hidden') hidden = setTimeout(release, HIDDEN_GRACE);
  };
  onVisibilityChange(look, signal);
  window.addEventListener('offline', () => connection.close('cut'), { signal });
  signal.addEventListener('abort', () => clearTimeout(hidden));
  look();
}
