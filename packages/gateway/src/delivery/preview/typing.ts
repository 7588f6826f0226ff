import { type Channel, SendError } from '../../channels/channel.ts';
import { platformPlace } from '../../channels/places.ts';
import type { Clock } from '../../clock.ts';
import type { Pause } from '../pause.ts';
import { settledWithin } from '../timeout.ts';

const INTERVAL_MS = 4_000;

/** The typing sign of a place, repeated until `stop`. */
export interface Typing {
  /** No call of `channel.typing` is made after this. */
  stop(): void;
  /** Resolves when no call is in progress, or after `ms`. A message that is sent later removes the sign. */
  quiet(ms: number): Promise<void>;
}

interface TypingOptions {
  readonly clock: Clock;
  readonly channel: Channel;
  readonly pause: Pause;
}

/** One call at a time, so that a slow channel is called less often. */
export function startTyping({ clock, channel, pause }: TypingOptions, place: string): Typing {
  const interval = channel.limits.typingIntervalMs ?? INTERVAL_MS;
  let cancel: (() => void) | undefined;
  let call: Promise<void> | undefined;
  let stopped = channel.typing === undefined;
  const next = (ms: number): void => {
    call = undefined;
    if (!stopped) cancel = clock.after(Math.max(ms, interval, pause.leftMs), show);
  };
  const show = (): void => {
    // `typing` may throw synchronously; neither kind of failure is awaited.
    call = Promise.resolve()
      .then(() => (stopped || pause.leftMs > 0 ? undefined : channel.typing?.(platformPlace(place))))
      .then(
        () => next(0),
        (error) => next(waitAfter(error, pause)),
      );
  };
  if (!stopped) show();
  return {
    stop() {
      stopped = true;
      cancel?.();
    },
    quiet: async (ms) => (call === undefined ? undefined : settledWithin(clock, ms, call)),
  };
}

/** Milliseconds of a rate limit in `error`. */
function waitAfter(error: unknown, pause: Pause): number {
  if (!(error instanceof SendError) || error.afterMs === undefined) return 0;
  if (error.scope === 'channel') pause.hold(error.afterMs);
  return error.afterMs;
}
