import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { access, type FileHandle, lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '../outcome.ts';

/** The file that is to be replaced, as it was last looked at; undefined when there is none. */
export async function look(real: string): Promise<Stats | undefined> {
  try {
    return await lstat(real);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Puts new bytes in the place of a file, all or nothing: they are written beside it and take its name when they are safe
 * on disk. Mode and owner stay. Refused when the file is another than `before`, the one that the bytes were made from.
 */
export async function replaceFile(
  real: string,
  bytes: Uint8Array,
  before: Stats | undefined,
): Promise<Stats> {
  if (before !== undefined) await access(real, constants.W_OK);
  const folder = dirname(real);
  await mkdir(folder, { recursive: true });
  const temporary = join(folder, `.nuum-${randomUUID()}`);
  try {
    const stats = await writeNew(temporary, bytes, before);
    const now = await look(real);
    if (isOther(before, now))
      throw new Error(`${real} was changed by somebody else just now; read it again.`);
    await rename(temporary, real);
    return stats;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function writeNew(path: string, bytes: Uint8Array, before: Stats | undefined): Promise<Stats> {
  const handle = await open(path, 'wx', before === undefined ? 0o666 : 0o600);
  try {
    await handle.writeFile(bytes);
    if (before !== undefined) await inherit(handle, before);
    await handle.sync();
    return await handle.stat();
  } finally {
    await handle.close();
  }
}

async function inherit(handle: FileHandle, before: Stats): Promise<void> {
  const own = await handle.stat();
  // Only the system's administrator may give files away; for anybody else the owner is the same already.
  if (own.uid !== before.uid || own.gid !== before.gid)
    await handle.chown(before.uid, before.gid).catch(() => {});
  await handle.chmod(before.mode & 0o7777);
}

function isOther(before: Stats | undefined, now: Stats | undefined): boolean {
  if (before === undefined || now === undefined) return before !== now;
  return before.ino !== now.ino || before.size !== now.size || before.mtimeMs !== now.mtimeMs;
}
