import { backoff } from './backoff.ts';
import { watchConnection } from './connection.ts';
import { isLoggedOut, isUnreached, reach } from './request.ts';
import { standing } from './shown.ts';
import { createSse, pushSse, type SseMessage } from './sse.ts';
import { noteReached, untilShown, waitForChance } from './wait.ts';

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

/** How one connection ended. */
interface Ending {
  /** `let-go`: by this side, and not for a failure. `unreached`: nobody answered. `cut`: by the other side. */
  readonly how: 'logged-out' | 'let-go' | 'unreached' | 'cut';
  /** It was good for a while, so the next failure is the first of a new row. */
  readonly steady: boolean;
  /** The least time to wait that the server asked for. */
  readonly retry: number;
}

/** A connection that ends sooner is no better than one that never was. */
const STEADY = 5_000;

/**
 * Follows an event stream until the signal ends it, over every cut. Not an EventSource: that one cannot tell a lost
 * login from a lost network, nor notice that a connection has gone silent.
 */
export async function follow(following: Following): Promise<void> {
  const { signal, onLink } = following;
  onLink('connecting');
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    const { how, steady, retry } = await readOnce(following);
    if (signal.aborted || how === 'logged-out') return;
    if (steady) attempt = 0;
    // A tab that nobody sees has let go by itself: nothing is lost then.
    onLink(standing() === 'shown' ? 'lost' : 'connecting');
    if (how !== 'let-go') {
      const turnedAway = how === 'cut';
      await waitForChance(Math.max(backoff(attempt), retry), signal, { turnedAway });
    }
    await untilShown(signal);
  }
}

/** One connection, from opening to its end. */
async function readOnce(following: Following): Promise<Ending> {
  const state = createSse();
  const watch = watchConnection(following.signal);
  let opened = Infinity;
  let how: Ending['how'] = 'cut';
  try {
    const headers = { accept: 'text/event-stream' };
    const { body } = await reach(following.address(), { headers, signal: watch.signal });
    opened = Date.now();
    following.onLink('live');
    noteReached();
    for await (const text of piecesOf(body)) {
      watch.alive();
      for (const message of pushSse(state, text)) following.onMessage(message);
    }
  } catch (error) {
    if (isLoggedOut(error)) how = 'logged-out';
    else if (isUnreached(error)) how = 'unreached';
  }
  const letGo = watch.letGo();
  watch.end();
  if (how === 'logged-out') following.onLoggedOut();
  return { how: letGo ? 'let-go' : how, steady: Date.now() - opened >= STEADY, retry: state.retry ?? 0 };
}

async function* piecesOf(body: ReadableStream<Uint8Array<ArrayBuffer>> | null): AsyncGenerator<string> {
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
