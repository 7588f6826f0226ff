import { type Channel, SendError } from '../../channels/channel.ts';
import type { Pause } from '../pause.ts';
import { settledWithin } from '../within.ts';

const INTERVAL_MS = 4_000;

/** A sign in a place that somebody is at work, for as long as it is so. */
export interface Typing {
  /** Ends it: no call is made after this. */
  stop(): void;
  /** Resolves when no call is under way, or when it has taken too long: what is sent after it takes the sign away. */
  quiet(ms: number): Promise<void>;
}

/** One call at a time: a channel that is slow is asked more rarely. */
export function startTyping(channel: Channel, place: string, pause: Pause): Typing {
  const interval = channel.limits.typingIntervalMs ?? INTERVAL_MS;
  let timer: NodeJS.Timeout | undefined;
  let call: Promise<void> | undefined;
  let stopped = channel.typing === undefined;
  const next = (ms: number): void => {
    call = undefined;
    if (!stopped) timer = setTimeout(show, Math.max(ms, interval, pause.leftMs)).unref();
  };
  const show = (): void => {
    // It may throw at once, as well as later; nobody waits for it either way.
    call = Promise.resolve()
      .then(() => (stopped || pause.leftMs > 0 ? undefined : channel.typing?.(place)))
      .then(
        () => next(0),
        (error) => next(heeded(error, pause)),
      );
  };
  if (!stopped) show();
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
    quiet: async (ms) => (call === undefined ? undefined : settledWithin(ms, call)),
  };
}

/** How long the platform wants to be left alone. */
function heeded(error: unknown, pause: Pause): number {
  if (!(error instanceof SendError) || error.afterMs === undefined) return 0;
  if (error.scope === 'channel') pause.hold(error.afterMs);
  return error.afterMs;
}
