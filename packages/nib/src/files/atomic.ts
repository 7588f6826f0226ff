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

/** Where the next version of a file is prepared: beside it, since a rename is atomic within one file system only. */
export function stagedName(file: string): string {
  return join(dirname(file), `.${basename(file)}.nib-new`);
}

/** Writes the next version of a file beside it and waits until the disk has it; the file itself is not touched. */
export function stage(file: string, contents: string | Uint8Array): string {
  const staged = stagedName(file);
  // A link left there by somebody else must not be followed.
  rmSync(staged, { force: true });
  const descriptor = openSync(staged, 'wx', 0o644);
  try {
    writeFileSync(descriptor, contents);
    fchmodSync(descriptor, modeOf(file));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  return staged;
}

/** Replaces a file in one step: whoever reads it sees the old text or the new, also after a crash. */
export function writeAtomic(file: string, contents: string | Uint8Array): void {
  const staged = stage(file, contents);
  try {
    renameSync(staged, file);
  } catch (error) {
    rmSync(staged, { force: true });
    throw error;
  }
  syncDirectory(dirname(file));
}

/** Makes a rename in a directory last. Some file systems refuse to sync a directory; they order renames by themselves. */
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

function modeOf(file: string): number {
  return (statSync(file, { throwIfNoEntry: false })?.mode ?? 0o644) & 0o777;
}
