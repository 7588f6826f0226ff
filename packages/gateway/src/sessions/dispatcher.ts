import { setTimeout as sleep } from 'node:timers/promises';
import { reasonOf } from '@plugboard/protocol';
import type { Claim, Store } from '@plugboard/store';
import type { Logger } from '../log.ts';

/** Pause before `claim` is retried after a store error. */
const RETRY_MS = 1_000;

export interface DispatcherOptions {
  readonly store: Store;
  readonly node: string;
  readonly leaseMs: number;
  readonly log: Logger;
  /** Number of turns that may start now. */
  free(): number;
  /** Names of agents that run `maxRunning` turns already. */
  full(): readonly string[];
  /** Starts a claimed turn. Must not throw: the dispatcher does not follow the turn. */
  begin(claim: Claim): void;
}

/** Claims waiting messages from the store and starts a turn for each. */
export interface Dispatcher {
  /** Calls of `claim` so far, and the milliseconds that they took. */
  readonly claims: { readonly count: number; readonly ms: number };
  /**
   * Call after each change that may allow a claim. A superfluous call costs one query; a missing one delays the turn
   * until the next periodic `wake`.
   */
  wake(): void;
  /** Like `wake`, but settles when every message that may start now has its turn. */
  look(): Promise<void>;
  /** Starts no more turns; settles when no `claim` is in progress. */
  close(): Promise<void>;
}

/**
 * Calls `store.turns.claim` after each `wake`. The first call is made before `wake` returns: called in the same tick as
 * `inbox.admit`, both are in one commit.
 */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { store, node, leaseMs } = options;
  let asking: Promise<void> | undefined;
  let again = false;
  let closed = false;
  const claimed = { count: 0, ms: 0 };

  const ask = async (): Promise<void> => {
    do {
      again = false;
      const limit = options.free();
      if (limit <= 0 || closed) return;
      try {
        const began = performance.now();
        const claims = await store.turns.claim({ node, leaseMs, limit, except: options.full() });
        claimed.count += 1;
        claimed.ms += performance.now() - began;
        for (const claim of claims) options.begin(claim);
        // A full batch: there may be more waiting messages, and `free()` may have room for them.
        again ||= claims.length === limit;
      } catch (error) {
        options.log.error(`No turn can be begun: ${reasonOf(error)}`, { code: 'turns-not-claimed' });
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
    claims: claimed,
    wake: () => closed || wake(),
    async look() {
      if (!closed) wake();
      while (asking !== undefined) await asking;
    },
    async close() {
      closed = true;
      await asking;
    },
  };
}
