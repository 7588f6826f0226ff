import { setTimeout as sleep } from 'node:timers/promises';
import { finishInterrupted, isHalfCommitted, isInterrupted } from '../files/transaction.ts';
import { NibError } from '../nib-error.ts';
import { getLockPath, type LockRetries, tryLock } from './lock.ts';

const DEFAULT_RETRIES: LockRetries = { attempts: 500, pauseMs: 10 };

/**
 * Resolves when the files of a project are consistent. An interrupted change of a dead nib is finished or undone. A
 * running nib only needs time for its renames. A reader must not queue for the lock: a busy nib takes it again and
 * again.
 */
export async function recoverProject(
  root: string,
  { attempts, pauseMs }: LockRetries = DEFAULT_RETRIES,
): Promise<void> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    if (!isInterrupted(root)) return;
    const release = await tryLock(getLockPath(root));
    if (release !== undefined) return finishAndRelease(root, release);
    if (!isHalfCommitted(root)) return;
    await sleep(pauseMs);
  }
  throw new NibError(`Another nib is writing to ${root}, and does not end. Try again when it has.`);
}

function finishAndRelease(root: string, release: () => void): void {
  try {
    finishInterrupted(root);
  } finally {
    release();
  }
}
