import { randomBytes } from 'node:crypto';
import { readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivate } from '../private-directory.ts';
import { MediaUnavailableError } from './media-error.ts';
import type { MediaFiles } from './media-files.ts';
import { writeFile } from './write.ts';

/** A copy that was not asked for in this time is removed. An agent may read the path of an earlier turn until then. */
const UNUSED_MS = 24 * 3_600_000;

/** Copies of files on this machine, for agents and channels, which read files by their paths. */
export interface LocalCopies {
  /** Path of the copy of a file, which is made when there is none. */
  pathOf(name: string, size: number): Promise<string>;
  remove(name: string): Promise<void>;
  /** Removes copies that were not used for a day. */
  clean(): Promise<void>;
}

export function createLocalCopies(directory: string, files: MediaFiles): LocalCopies {
  const making = new Map<string, Promise<string>>();
  const make = async (name: string, size: number): Promise<string> => {
    const path = join(directory, name);
    if (await isCopy(path, size)) return path;
    makePrivate(directory);
    const bytes = await files.open(name);
    if (bytes === undefined)
      throw new MediaUnavailableError(`There is no file ${name} in ${files.place} any more.`);
    // A name of its own: two processes may share the directory for a moment, while one of them ends.
    const copying = `${path}.${randomBytes(6).toString('hex')}`;
    await writeFile(copying, bytes);
    await rename(copying, path);
    return path;
  };
  return {
    async pathOf(name, size) {
      const made = making.get(name) ?? make(name, size).finally(() => making.delete(name));
      making.set(name, made);
      const path = await made;
      const now = (performance.timeOrigin + performance.now()) / 1000;
      await utimes(path, now, now);
      return path;
    },
    remove: (name) => rm(join(directory, name), { force: true }),
    async clean() {
      const now = performance.timeOrigin + performance.now();
      for (const name of await readdir(directory).catch(() => [])) {
        const path = join(directory, name);
        const found = await stat(path).catch(() => undefined);
        if (found !== undefined && now - found.mtimeMs > UNUSED_MS)
          await rm(path, { force: true, recursive: true });
      }
    },
  };
}

/** A file of another size was changed by an agent, or cut by a full disk. */
async function isCopy(path: string, size: number): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true && found.size === size;
}
