import { reasonOf } from '@plugboard/protocol';
import { type Clock, sleep } from '../clock.ts';
import { retryDelay } from '../delivery/retry.ts';
import { settledWithin } from '../delivery/timeout.ts';
import { STOP_MS } from '../delivery/times.ts';
import type { Logger } from '../log.ts';
import { type Channel, type Ingress, SendError } from './channel.ts';

/**
 * - `starting`: connecting, or waiting for a retry.
 * - `ready`: connected.
 * - `failed`: unusable until its settings change.
 * - `stopped`: the gateway is stopping.
 * - `elsewhere`: another gateway on the same store has its connection.
 */
export type ChannelState = 'starting' | 'ready' | 'failed' | 'stopped' | 'elsewhere';

/** Starts one channel, with retries. No other channel waits for it. */
export interface ChannelLife {
  readonly state: ChannelState;
  /** Starts the channel, and retries until it is `ready`. */
  start(ingress: Ingress): void;
  /** Stops the channel for good, and logs `reason`. */
  fail(reason: string): void;
  /** Stops the channel; waits at most `stopMs`. */
  stop(): Promise<void>;
}

export interface LifeOptions {
  readonly clock: Clock;
  readonly channel: Channel;
  readonly log: Logger;
  readonly onReady: () => void;
  readonly onFailed: () => void;
}

export function createLife({ clock, channel, log, onReady, onFailed }: LifeOptions): ChannelLife {
  const end = new AbortController();
  const fields = { channel: channel.name };
  let state: ChannelState = 'starting';

  const close = (): Promise<void> =>
    settledWithin(
      clock,
      STOP_MS,
      (async () => channel.stop())().catch((error) =>
        log.warn(`A channel did not stop: ${reasonOf(error)}`, { ...fields, code: 'channel-stop-failed' }),
      ),
    );
  const finish = (last: 'failed' | 'stopped'): Promise<void> => {
    state = last;
    end.abort();
    return close();
  };
  const fail = (reason: string): void => {
    if (end.signal.aborted) return;
    log.error(`A channel was stopped until its settings change: ${reason}`, {
      ...fields,
      code: 'channel-failed',
    });
    void finish('failed');
    onFailed();
  };
  const tryToStart = async (ingress: Ingress): Promise<unknown> => {
    try {
      await channel.start(ingress);
      return undefined;
    } catch (error) {
      return error ?? new Error('It did not say why.');
    }
  };
  const run = async (ingress: Ingress): Promise<void> => {
    for (let attempts = 1; ; attempts += 1) {
      const error = await tryToStart(ingress);
      if (end.signal.aborted) return;
      if (error === undefined) break;
      if (error instanceof SendError && error.problem === 'never') return fail(error.message);
      const afterMs = error instanceof SendError ? error.afterMs : undefined;
      const retryAfterMs = afterMs ?? retryDelay(attempts);
      log.warn(`A channel cannot be started, and is tried again: ${reasonOf(error)}`, {
        ...fields,
        code: 'channel-start-failed',
        retryAfterMs,
      });
      await close();
      await sleep(clock, retryAfterMs, end.signal);
      if (end.signal.aborted) return;
    }
    state = 'ready';
    onReady();
  };
  return {
    get state() {
      return state;
    },
    start: (ingress) => void run(ingress),
    fail,
    stop: () => (end.signal.aborted ? close() : finish('stopped')),
  };
}
