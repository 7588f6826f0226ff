import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NibError } from '../nib-error.ts';

/** How often and at which interval a lock is tried. */
export interface LockRetries {
  readonly attempts: number;
  readonly pauseMs: number;
}

const DEFAULT_RETRIES: LockRetries = { attempts: 100, pauseMs: 50 };

/** SQLITE_BUSY: another process has the lock. */
const BUSY = 5;

/**
 * Runs an action while no other nib writes to the project. The lock is a POSIX lock that SQLite takes on a small file,
 * so the system releases it when the process dies. The file stays: deleting it would break the lock of a process that
 * has just opened it.
 */
export async function withLock<T>(
  root: string,
  action: () => T | Promise<T>,
  patience: LockRetries = DEFAULT_RETRIES,
): Promise<T> {
  mkdirSync(join(root, '.nib'), { recursive: true });
  const release = await waitForLock(getLockPath(root), root, patience);
  try {
    return await action();
  } finally {
    release();
  }
}

/** The file whose lock is the right to write to a project. */
export function getLockPath(root: string): string {
  return join(root, '.nib', 'lock');
}

async function waitForLock(
  file: string,
  root: string,
  { attempts, pauseMs }: LockRetries,
): Promise<() => void> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const release = await tryLock(file);
    if (release !== undefined) return release;
    await sleep(pauseMs);
  }
  throw new NibError(`Another nib is writing to ${root}. Nothing was changed; try again when it has ended.`);
}

/**
 * Takes a lock on a file, unless another process has it; the returned function releases it. SQLite is imported here
 * because most commands only read.
 */
export async function tryLock(file: string): Promise<(() => void) | undefined> {
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('begin exclusive');
    return () => database.close();
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === BUSY) return undefined;
    throw error;
  }
}
