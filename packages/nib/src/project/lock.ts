import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NibError } from '../failure.ts';

/** How the lock is waited for. */
export interface Patience {
  readonly attempts: number;
  readonly pauseMs: number;
}

const PATIENCE: Patience = { attempts: 100, pauseMs: 50 };

/** SQLite's code for a lock that somebody else has. */
const BUSY = 5;

/**
 * Runs an action while no other nib writes to the project. The lock is one that the system holds on a small file, so
 * that it goes with its process however that ends; the file stays, since to delete it could pull it from under
 * somebody who has just opened it.
 */
export async function withLock<T>(
  root: string,
  action: () => T | Promise<T>,
  patience: Patience = PATIENCE,
): Promise<T> {
  mkdirSync(join(root, '.nib'), { recursive: true });
  const release = await take(lockFile(root), root, patience);
  try {
    return await action();
  } finally {
    release();
  }
}

/** What stands for the right to write to a project. */
export function lockFile(root: string): string {
  return join(root, '.nib', 'lock');
}

async function take(file: string, root: string, { attempts, pauseMs }: Patience): Promise<() => void> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const release = await tryToTake(file);
    if (release !== undefined) return release;
    await sleep(pauseMs);
  }
  throw new NibError(`Another nib is writing to ${root}. Nothing was changed; try again when it has ended.`);
}

/**
 * Takes a lock by its file, unless somebody else has it; the function given back lets go. SQLite is loaded here and not
 * before: most commands only read.
 */
export async function tryToTake(file: string): Promise<(() => void) | undefined> {
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
