import { setTimeout as sleep } from 'node:timers/promises';
import { NibError } from '../failure.ts';
import { finishInterrupted, isHalfMade, isInterrupted } from '../files/transaction.ts';
import { lockFile, type Patience, tryToTake } from './lock.ts';

const PATIENCE: Patience = { attempts: 500, pauseMs: 10 };

/**
 * Settles when the files of a project are of one state. A change whose nib has died is finished or undone. One whose nib
 * lives needs no help, and only its renames are waited for: a reader that lined up for the lock would wait for as long as
 * a busy nib takes it again and again.
 */
export async function settle(root: string, { attempts, pauseMs }: Patience = PATIENCE): Promise<void> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    if (!isInterrupted(root)) return;
    const release = await tryToTake(lockFile(root));
    if (release !== undefined) return finish(root, release);
    if (!isHalfMade(root)) return;
    await sleep(pauseMs);
  }
  throw new NibError(`Another nib is writing to ${root}, and does not end. Try again when it has.`);
}

function finish(root: string, release: () => void): void {
  try {
    finishInterrupted(root);
  } finally {
    release();
  }
}
