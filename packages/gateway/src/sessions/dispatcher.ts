import { setTimeout as sleep } from 'node:timers/promises';
import { reasonOf } from '@plugboard/protocol';
import type { Claim, Store } from '@plugboard/store';
import type { Logger } from '../log.ts';

/** A store that refused is asked again after so long. */
const RETRY_MS = 1_000;

export interface DispatcherOptions {
  readonly store: Store;
  readonly node: string;
  readonly leaseMs: number;
  readonly log: Logger;
  /** How many turns may be begun now. */
  free(): number;
  /** Agents that run as many turns as they may. */
  full(): readonly string[];
  /** Begins a turn; what becomes of it is not the dispatcher's business. */
  begin(claim: Claim): void;
}

/** Turns messages that wait into turns that run. */
export interface Dispatcher {
  /** Something may be there to be done. To be called once too often costs a look; never to be called, a wait. */
  wake(): void;
  /** Begins nothing more; settles when nothing is being begun. */
  close(): Promise<void>;
}

/**
 * Asks the store for work whenever there may be some. The first question is put before `wake` returns: asked in the same
 * instant as a message is admitted, both are one commit.
 */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { store, node, leaseMs } = options;
  let asking: Promise<void> | undefined;
  let again = false;
  let closed = false;

  const ask = async (): Promise<void> => {
    do {
      again = false;
      const limit = options.free();
      if (limit <= 0 || closed) return;
      try {
        const claims = await store.turns.claim({ node, leaseMs, limit, except: options.full() });
        for (const claim of claims) options.begin(claim);
        // As many as were asked for: there may be more, for which there may be room.
        again ||= claims.length === limit;
      } catch (error) {
        options.log.error(`No turn can be begun: ${reasonOf(error)}`);
        await sleep(RETRY_MS, undefined, { ref: false });
        again = true;
      }
    } while (again);
  };
  const wake = (): void => {
    if (asking !== undefined) {
      again = true;
      return;
    }
    asking = ask().finally(() => {
      asking = undefined;
      if (again) wake();
    });
  };
  return {
    wake: () => closed || wake(),
    async close() {
      closed = true;
      await asking;
    },
  };
}
