import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { lstatIfThere } from '../files/read.ts';
import { tryToTake } from '../project/lock.ts';

/** How the directory of a project's copy begins. */
export const COPY_PREFIX = 'nib-work-';

/** `createCopy` takes the lock within milliseconds; a copy without one after 60 s lost its nib before. */
const UNLOCKED_MS = 60_000;

/** Deletes the copies whose nib was killed: an unpublished book must not stay in a temporary directory. */
export async function deleteLeftCopies(temporary: string, now: number): Promise<void> {
  for (const name of copiesIn(temporary)) {
    const holder = join(temporary, name);
    if (await isLeft(holder, now).catch(() => false)) rmSync(holder, { recursive: true, force: true });
  }
}

function copiesIn(temporary: string): readonly string[] {
  try {
    return readdirSync(temporary).filter((name) => name.startsWith(COPY_PREFIX));
  } catch {
    // A temporary directory may be closed to reading and open to `mkdtemp`.
    return [];
  }
}

async function isLeft(holder: string, now: number): Promise<boolean> {
  const stat = lstatIfThere(holder);
  if (stat === undefined || !stat.isDirectory() || stat.uid !== process.getuid?.()) return false;
  const lock = join(holder, 'lock');
  if (lstatIfThere(lock) === undefined) return now - stat.mtimeMs > UNLOCKED_MS;
  const release = await tryToTake(lock);
  release?.();
  return release !== undefined;
}
