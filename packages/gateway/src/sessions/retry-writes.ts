import { setTimeout as sleep } from 'node:timers/promises';
import { reasonOf } from '@plugboard/protocol';
import { StoreError, type StoreErrorCode } from '@plugboard/store';
import type { Logger } from '../log.ts';

/** Transient store errors: a full or read-only disk, or a lock held by another program. */
const PASSING: ReadonlySet<StoreErrorCode> = new Set(['full', 'read-only', 'unavailable', 'in-use']);
const FIRST_MS = 250;
const LONGEST_MS = 5_000;

/**
 * Retries `write` on transient store errors, so that a full disk does not lose events of an agent. The agent waits
 * meanwhile. Rejects when the store is closed or the error is permanent.
 */
export async function retryWrite<T>(write: () => Promise<T>, log: Logger): Promise<T> {
  for (let pause = FIRST_MS; ; pause = Math.min(pause * 2, LONGEST_MS)) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof StoreError) || !PASSING.has(error.code)) throw error;
      const text = `Events cannot be stored, and are held until they can: ${reasonOf(error)}`;
      log.error(text, { code: 'events-held' });
      await sleep(pause, undefined, { ref: false });
    }
  }
}
