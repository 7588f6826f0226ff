import { constants, copyFileSync, linkSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../failure.ts';
import { stage, stagedName, syncDirectory } from './atomic.ts';
import { lstatIfThere } from './read.ts';

/** Where the old version of a file stands while it is replaced. */
export function setAsideName(file: string): string {
  return join(dirname(file), `.${basename(file)}.nib-old`);
}

/**
 * Replaces a file only if it still has the expected bytes, or is still absent; returns false when it was saved meanwhile, and
 * leaves that version. A plain rename over the file would lose a save just before the rename. So the file is moved aside
 * first, and the new version is linked to its name, which fails when an editor has created the file again.
 * `finishReplacement` mends a crash in between.
 */
export function replaceFile(
  file: string,
  expected: Buffer | undefined,
  next: Uint8Array | undefined,
): boolean {
  const staged = next === undefined ? undefined : stage(file, next);
  const aside = setAsideName(file);
  try {
    if (expected !== undefined && !moveAside(file, aside)) return false;
    const found = expected === undefined ? undefined : readFileSync(aside);
    if (found !== undefined && expected?.equals(found) !== true) return putBack(file, aside);
    if (staged !== undefined && !linkNew(staged, file)) return false;
    // An editor that had the old file open may have written to it after it was read.
    return expected === undefined || readFileSync(aside).equals(expected) || keepLater(file, aside);
  } finally {
    const isRemoved =
      next === undefined && lstatIfThere(aside) !== undefined && lstatIfThere(file) === undefined;
    if (isRemoved) rmSync(aside);
    finishReplacement(file);
    syncDirectory(dirname(file));
  }
}

/** After a crash inside `replaceFile`: the old version returns to its name unless another stands there. */
export function finishReplacement(file: string): void {
  const aside = setAsideName(file);
  rmSync(stagedName(file), { force: true });
  if (lstatIfThere(aside) === undefined) return;
  if (lstatIfThere(file) === undefined) renameSync(aside, file);
  else rmSync(aside);
}

function moveAside(file: string, aside: string): boolean {
  try {
    renameSync(file, aside);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

function putBack(file: string, aside: string): false {
  linkNew(aside, file);
  return false;
}

/** The old file got its words while it stood aside: they win over the new version. */
function keepLater(file: string, aside: string): false {
  renameSync(aside, file);
  return false;
}

/** Gives a file a second name unless that name is taken; file systems without hard links get a copy. */
function linkNew(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
  }
  try {
    copyFileSync(from, to, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}
