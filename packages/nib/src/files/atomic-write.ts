import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** The path of a file's next version: beside it, because a rename is atomic only within one file system. */
export function getStagedPath(file: string): string {
  return join(dirname(file), `.${basename(file)}.nib-new`);
}

/** Writes the next version of a file beside it and calls `fsync`; the file itself does not change. */
export function stageFile(file: string, contents: string | Uint8Array): string {
  const staged = getStagedPath(file);
  // Removes a link at this path, which `open` would follow.
  rmSync(staged, { force: true });
  const descriptor = openSync(staged, 'wx', 0o644);
  try {
    writeFileSync(descriptor, contents);
    fchmodSync(descriptor, getMode(file));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  return staged;
}

/** Replaces a file in one step: a reader sees the old text or the new, also after a crash. */
export function writeAtomic(file: string, contents: string | Uint8Array): void {
  const staged = stageFile(file, contents);
  try {
    renameSync(staged, file);
  } catch (error) {
    rmSync(staged, { force: true });
    throw error;
  }
  syncDirectory(dirname(file));
}

/**
 * Makes renames in a directory durable. Some file systems refuse to `fsync` a directory; they order renames by
 * themselves.
 */
export function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } catch {
    // See above.
  } finally {
    closeSync(descriptor);
  }
}

function getMode(file: string): number {
  return (statSync(file, { throwIfNoEntry: false })?.mode ?? 0o644) & 0o777;
}
