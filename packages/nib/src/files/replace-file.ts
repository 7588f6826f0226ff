import { constants, copyFileSync, linkSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { getErrorCode } from '../nib-error.ts';
import { getStagedPath, stageFile, syncDirectory } from './atomic-write.ts';
import { lstatIfThere } from './read-file.ts';

/** The path of a file's old version during `replaceFile`. */
export function getAsidePath(file: string): string {
  return join(dirname(file), `.${basename(file)}.nib-old`);
}

/**
 * Replaces a file only if it still has the expected bytes, or is still absent. Returns false when it was saved
 * meanwhile, and keeps that version. A plain rename over the file would lose a save just before the rename. So the file
 * is moved aside first, and the new version gets its name by a hard link, which fails when an editor has created the
 * file again. `finishReplacement` repairs a crash in between.
 */
export function replaceFile(
  file: string,
  expected: Buffer | undefined,
  next: Uint8Array | undefined,
): boolean {
  const staged = next === undefined ? undefined : stageFile(file, next);
  const aside = getAsidePath(file);
  try {
    if (expected !== undefined && !moveAside(file, aside)) return false;
    const found = expected === undefined ? undefined : readFileSync(aside);
    if (found !== undefined && expected?.equals(found) !== true) return restoreOld(file, aside);
    if (staged !== undefined && !linkExclusively(staged, file)) return false;
    // An editor that had the old file open may have written to it after it was read.
    return expected === undefined || readFileSync(aside).equals(expected) || keepLateSave(file, aside);
  } finally {
    const isRemoved =
      next === undefined && lstatIfThere(aside) !== undefined && lstatIfThere(file) === undefined;
    if (isRemoved) rmSync(aside);
    finishReplacement(file);
    syncDirectory(dirname(file));
  }
}

/** After a crash inside `replaceFile`: the old version gets its name back unless another file has it. */
export function finishReplacement(file: string): void {
  const aside = getAsidePath(file);
  rmSync(getStagedPath(file), { force: true });
  if (lstatIfThere(aside) === undefined) return;
  if (lstatIfThere(file) === undefined) renameSync(aside, file);
  else rmSync(aside);
}

function moveAside(file: string, aside: string): boolean {
  try {
    renameSync(file, aside);
    return true;
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

function restoreOld(file: string, aside: string): false {
  linkExclusively(aside, file);
  return false;
}

/** The old file was written to while it was aside: that save wins over the new version. */
function keepLateSave(file: string, aside: string): false {
  renameSync(aside, file);
  return false;
}

/** Creates a hard link unless `to` exists; file systems without hard links get a copy. */
function linkExclusively(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (getErrorCode(error) === 'EEXIST') return false;
  }
  try {
    copyFileSync(from, to, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if (getErrorCode(error) === 'EEXIST') return false;
    throw error;
  }
}
