import { setTimeout as sleep } from 'node:timers/promises';
import { reasonOf } from '@plugboard/protocol';
import { StoreError, type StoreErrorCode } from '@plugboard/store';
import type { Logger } from '../log.ts';

/** What a disk may get over by itself, or another program that has locked the file. */
const PASSING: ReadonlySet<StoreErrorCode> = new Set(['full', 'read-only', 'unavailable', 'in-use']);
const FIRST_MS = 250;
const LONGEST_MS = 5_000;

/**
 * Writes until it is written: an agent has said it, and it must not be lost because the disk is full for a while. The
 * agent waits meanwhile. Gives up when the store is closed or says that it will never do.
 */
export async function patiently<T>(write: () => Promise<T>, log: Logger): Promise<T> {
  for (let pause = FIRST_MS; ; pause = Math.min(pause * 2, LONGEST_MS)) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof StoreError) || !PASSING.has(error.code)) throw error;
      log.error(`What was said cannot be kept, and is held until it can: ${reasonOf(error)}`);
      await sleep(pause, undefined, { ref: false });
    }
  }
}
