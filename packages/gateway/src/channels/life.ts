import { setTimeout as sleep } from 'node:timers/promises';
import { reasonOf } from '@plugboard/protocol';
import { TIMES, type Times } from '../delivery/times.ts';
import { settledWithin } from '../delivery/within.ts';
import type { Logger } from '../log.ts';
import { type Channel, type Ingress, SendError } from './channel.ts';

/**
 * - `starting`: not there yet, or to be tried again.
 * - `ready`: hears people, and can be sent to.
 * - `failed`: of no use until somebody changes its settings.
 * - `stopped`: the gateway is at its end.
 */
export type ChannelState = 'starting' | 'ready' | 'failed' | 'stopped';

/** Keeps one channel going. Nobody waits for it: one that cannot be reached is no reason for others not to be there. */
export interface ChannelLife {
  readonly state: ChannelState;
  /** Begins to start it, as often as it takes. */
  start(ingress: Ingress): void;
  /** Ends it for good, and says why. */
  fail(reason: string): void;
  /** Ends it; does not wait for ever. */
  stop(): Promise<void>;
}

export interface LifeOptions {
  readonly channel: Channel;
  readonly log: Logger;
  readonly onReady: () => void;
  readonly onFailed: () => void;
  readonly times?: Pick<Times, 'retryMs' | 'stopMs'>;
}

export function createLife({ channel, log, onReady, onFailed, times = TIMES }: LifeOptions): ChannelLife {
  const end = new AbortController();
  const fields = { channel: channel.name };
  let state: ChannelState = 'starting';

  const close = (): Promise<void> =>
    settledWithin(
      times.stopMs,
      (async () => channel.stop())().catch((error) =>
        log.warn(`A channel did not stop as it should: ${reasonOf(error)}`, fields),
      ),
    );
  const finish = (last: 'failed' | 'stopped'): Promise<void> => {
    state = last;
    end.abort();
    return close();
  };
  const fail = (reason: string): void => {
    if (end.signal.aborted) return;
    log.error(`A channel was stopped, and needs somebody to look at it: ${reason}`, fields);
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
      log.warn(`A channel cannot be started, and is tried again: ${reasonOf(error)}`, fields);
      await close();
      const afterMs = error instanceof SendError ? error.afterMs : undefined;
      await sleep(afterMs ?? times.retryMs(attempts), undefined, { signal: end.signal, ref: false }).catch(
        () => {},
      );
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
