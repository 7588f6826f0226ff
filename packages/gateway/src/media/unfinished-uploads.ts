import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Store } from '@plugboard/store';
import { PART } from './write.ts';

/** Minimum age: a younger file may not be in the store yet. */
const OLD_MS = 3_600_000;

/** Numbers of files that the store does not know. */
interface SweptFiles {
  readonly removed: number;
  /** Files that are older than the store, and were left. */
  readonly older: number;
}

/**
 * Removes files of uploads that a crash has cut off. A whole file that is older than the store belongs to another one:
 * the store was lost, or `store.file` names a new one, and the file is left for when the former is back.
 */
export async function removeUnfinishedUploads(
  directory: string,
  { media, createdAt }: Pick<Store, 'media' | 'createdAt'>,
): Promise<SweptFiles> {
  const now = performance.timeOrigin + performance.now();
  let removed = 0;
  let older = 0;
  for (const name of await readdir(directory)) {
    const file = join(directory, name);
    const { mtimeMs, isFile } = await stat(file).then(
      (found) => ({ mtimeMs: found.mtimeMs, isFile: found.isFile() }),
      () => ({ mtimeMs: now, isFile: false }),
    );
    if (!isFile || now - mtimeMs < OLD_MS || (await isKept(name, media))) continue;
    if (mtimeMs < createdAt && !name.endsWith(PART)) {
      older += 1;
      continue;
    }
    await rm(file, { force: true });
    removed += 1;
  }
  return { removed, older };
}

async function isKept(name: string, media: Store['media']): Promise<boolean> {
  if (name.endsWith(PART)) return false;
  const [id = ''] = name.split('.');
  return (await media.get(id))?.file === name;
}
