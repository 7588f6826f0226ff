import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { lstatIfThere } from '../files/read-file.ts';
import { tryLock } from '../project/lock.ts';

/** Prefix of the directory of a project's copy. */
export const COPY_PREFIX = 'nib-work-';

/**
 * `createCopy` takes the lock within milliseconds; a copy without a lock after 60 s belongs to a nib that was killed.
 */
const UNLOCKED_MS = 60_000;

/** Deletes the copies of killed nib processes: an unpublished book must not stay in a temporary directory. */
export async function deleteStaleCopies(temporary: string, now: number): Promise<void> {
  for (const name of listCopies(temporary)) {
    const holder = join(temporary, name);
    if (await isStale(holder, now).catch(() => false)) rmSync(holder, { recursive: true, force: true });
  }
}

function listCopies(temporary: string): readonly string[] {
  try {
    return readdirSync(temporary).filter((name) => name.startsWith(COPY_PREFIX));
  } catch {
    // A temporary directory may be closed to reading and open to `mkdtemp`.
    return [];
  }
}

async function isStale(holder: string, now: number): Promise<boolean> {
  const stat = lstatIfThere(holder);
  if (stat === undefined || !stat.isDirectory() || stat.uid !== process.getuid?.()) return false;
  const lock = join(holder, 'lock');
  if (lstatIfThere(lock) === undefined) return now - stat.mtimeMs > UNLOCKED_MS;
  const release = await tryLock(lock);
  release?.();
  return release !== undefined;
}
