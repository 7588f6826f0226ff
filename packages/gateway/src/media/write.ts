import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Suffix of an incomplete file. */
export const PART = '.part';

/** Writes to a `.part` file, syncs it and renames it. On any error the file is removed. */
export async function writeFile(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const part = `${path}${PART}`;
  try {
    await writeBytes(part, bytes);
    await rename(part, path);
    await syncDirectory(dirname(path));
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

async function writeBytes(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const file: FileHandle = await open(path, 'wx', 0o600);
  try {
    for await (const chunk of bytes) await file.writeFile(chunk);
    // `chmod` is independent of the umask: only this user may read the file.
    await file.chmod(0o600);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
