import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A file exceeds the size limit. */
export class MediaTooLargeError extends Error {
  readonly code = 'too-large';

  constructor(limit: number) {
    super(`The file is larger than ${limit} bytes.`);
    this.name = 'MediaTooLargeError';
  }
}

/** Suffix of an incomplete file. */
export const PART = '.part';

const HEAD_BYTES = 32;

export interface Written {
  readonly path: string;
  readonly size: number;
}

/**
 * Writes to a `.part` file, syncs it and renames it. `place` gets the first bytes and returns the final path. On any
 * error the file is removed.
 */
export async function writeFile(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
  limit: number,
  place: (head: Uint8Array) => string,
): Promise<Written> {
  const part = `${path}${PART}`;
  try {
    const { size, head } = await writeBytes(part, bytes, limit);
    const found = place(head);
    await rename(part, found);
    await syncDirectory(dirname(found));
    return { path: found, size };
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

async function writeBytes(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<{ size: number; head: Uint8Array }> {
  let size = 0;
  let head = Buffer.alloc(0);
  const file: FileHandle = await open(path, 'wx', 0o600);
  try {
    for await (const chunk of bytes) {
      size += chunk.length;
      if (size > limit) throw new MediaTooLargeError(limit);
      if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk]).subarray(0, HEAD_BYTES);
      await file.writeFile(chunk);
    }
    // `chmod` is independent of the umask: only this user may read the file.
    await file.chmod(0o600);
    await file.sync();
  } finally {
    await file.close();
  }
  return { size, head };
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
