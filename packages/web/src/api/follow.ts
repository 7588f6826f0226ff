import { isLoggedOut, reach } from './request.ts';
import { createSse, pushSse, type SseMessage } from './sse.ts';
import { backoff, noteReached, untilShown, waitForChance } from './wait.ts';

/** How a stream stands: `lost` means that it broke and is being tried again. */
export type Link = 'connecting' | 'live' | 'lost';

export interface Following {
  readonly signal: AbortSignal;
  /** Asked before every try, so that it can name where to go on from. */
  address(): string;
  onMessage(message: SseMessage): void;
  onLink(link: Link): void;
  /** The server does not know us any more: following ends. */
  onLoggedOut(): void;
}

/** The gateway sends a comment every 15 s: after three of them nobody is there. */
const SILENCE = 45_000;
/** A browser opens six connections to one address. A tab that nobody sees must not hold on to two of them. */
const HIDDEN_GRACE = 20_000;

/**
 * Follows an event stream until the signal ends it, over every cut. Not an EventSource: that one cannot tell a lost
 * login from a lost network, nor notice that a connection has gone silent.
 */
export async function follow(following: Following): Promise<void> {
  const { signal, onLink } = following;
  onLink('connecting');
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    const retry = await readOnce(following, () => {
      attempt = 0;
      onLink('live');
      noteReached();
    });
    if (signal.aborted || retry === 'logged-out') return;
    // A tab that nobody sees has let go by itself: nothing is lost then.
    onLink(document.hidden ? 'connecting' : 'lost');
    await waitForChance(Math.max(backoff(attempt), retry), signal);
    await untilShown(signal);
  }
}

/** One connection, from opening to its end; gives the least time to wait that the server asked for. */
async function readOnce(following: Following, onOpen: () => void): Promise<number | 'logged-out'> {
  const state = createSse();
  const watch = watchConnection(following.signal);
  try {
    const headers = { accept: 'text/event-stream' };
    const { body } = await reach(following.address(), { headers, signal: watch.signal });
    if (body === null) return 0;
    onOpen();
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      watch.alive();
      for (const message of pushSse(state, value)) following.onMessage(message);
    }
  } catch (error) {
    if (isLoggedOut(error)) {
      following.onLoggedOut();
      return 'logged-out';
    }
  } finally {
    watch.end();
  }
  return state.retry ?? 0;
}

/** A signal that aborts when the connection is of no use any more: silent, offline, or in a tab nobody sees. */
function watchConnection(outer: AbortSignal): { signal: AbortSignal; alive(): void; end(): void } {
  const controller = new AbortController();
  const end = (): void => {
    clearTimeout(silence);
    clearTimeout(hidden);
    controller.abort();
  };
  let silence = setTimeout(end, SILENCE);
  let hidden: ReturnType<typeof setTimeout> | undefined;
  const look = (): void => {
    clearTimeout(hidden);
    if (document.hidden) hidden = setTimeout(end, HIDDEN_GRACE);
  };
  const listening = { signal: controller.signal };
  window.addEventListener('offline', end, listening);
  document.addEventListener('visibilitychange', look, listening);
  outer.addEventListener('abort', end, listening);
  look();
  return {
    signal: controller.signal,
    alive() {
      clearTimeout(silence);
      silence = setTimeout(end, SILENCE);
    },
    end,
  };
}
