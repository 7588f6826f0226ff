import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { access, type FileHandle, lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '../outcome.ts';

/** The state of the file to replace. Undefined when it does not exist. */
export async function statIfThere(real: string): Promise<Stats | undefined> {
  try {
    return await lstat(real);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Replaces a file atomically: writes a temporary file beside it, syncs and renames it. Keeps mode and owner. Throws
 * when the file differs from `before`, from which the bytes were made.
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
    const now = await statIfThere(real);
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
    if (before !== undefined) await copyOwnerAndMode(handle, before);
    await handle.sync();
    return await handle.stat();
  } finally {
    await handle.close();
  }
}

async function copyOwnerAndMode(handle: FileHandle, before: Stats): Promise<void> {
  const own = await handle.stat();
  // Only root may change the owner; other users own the file already.
  if (own.uid !== before.uid || own.gid !== before.gid)
    await handle.chown(before.uid, before.gid).catch(() => {});
  await handle.chmod(before.mode & 0o7777);
}

function isOther(before: Stats | undefined, now: Stats | undefined): boolean {
  if (before === undefined || now === undefined) return before !== now;
  return before.ino !== now.ino || before.size !== now.size || before.mtimeMs !== now.mtimeMs;
}
