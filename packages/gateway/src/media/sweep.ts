import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Store } from '@plugboard/store';
import { PART } from './write.ts';

/** A file that is younger may still be on its way into the store. */
const OLD_MS = 3_600_000;

/** Removes what was left behind by uploads that were cut off by a crash; resolves to how many files there were. */
export async function sweep(directory: string, media: Store['media']): Promise<number> {
  const now = await timeIn(directory);
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

/** The age of files is told by the clock that gave them their times, which on a shared disk is not ours. */
async function timeIn(directory: string): Promise<number> {
  const file = join(directory, `now${PART}`);
  await writeFile(file, '', { mode: 0o600 });
  const { mtimeMs } = await stat(file);
  await rm(file, { force: true });
  return mtimeMs;
}

async function isKept(name: string, media: Store['media']): Promise<boolean> {
  if (name.endsWith(PART)) return false;
  const [id = ''] = name.split('.');
  return (await media.get(id))?.file === name;
}
