import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Store } from '@plugboard/store';
import { PART } from './write.ts';

/** A file that is younger may still be on its way into the store. */
const OLD_MS = 3_600_000;

/** Removes what was left behind by uploads that were cut off by a crash; resolves to how many files there were. */
export async function sweep(directory: string, media: Store['media']): Promise<number> {
  const now = performance.timeOrigin + performance.now();
  let swept = 0;
  for (const name of await readdir(directory)) {
    const file = join(directory, name);
    const { mtimeMs, isFile } = await stat(file).then(
      (found) => ({ mtimeMs: found.mtimeMs, isFile: found.isFile() }),
      () => ({ mtimeMs: now, isFile: false }),
    );
    if (!isFile || now - mtimeMs < OLD_MS || (await isKept(name, media))) continue;
    await rm(file, { force: true });
    swept += 1;
  }
  return swept;
}

async function isKept(name: string, media: Store['media']): Promise<boolean> {
  if (name.endsWith(PART)) return false;
  const [id = ''] = name.split('.');
  return (await media.get(id))?.file === name;
}
