import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { StoreError } from '../../../contract/errors.ts';

type Work = 'backup' | 'restore' | 'restore-media';

const NAME = /^\.(?:backup|restore|restore-media)-(\d+)-/;
const BELOW_STAGING = /[/\\]\.(?:backup|restore|restore-media)-\d+-.*$/s;

/**
 * Makes a staging directory in `directory`, so that a rename out of it stays on one file system. Its name holds our PID.
 * Staging directories of dead processes hold private messages, and are removed.
 */
export function makeStaging(directory: string, work: Work): string {
  for (const name of readdirSync(directory)) {
    const owner = NAME.exec(name)?.[1];
    if (owner !== undefined && !isAlive(Number(owner)))
      rmSync(join(directory, name), { recursive: true, force: true });
  }
  return mkdtempSync(join(directory, `.${work}-${process.pid}-`));
}

/** EPERM: the process is alive and belongs to another user. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Cuts staging paths in a system error down to the directory that the caller has named. */
export function hideStaging(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const failed: NodeJS.ErrnoException & { dest?: string } = error;
  if (failed.path !== undefined) failed.path = failed.path.replace(BELOW_STAGING, '') || '/';
  if (failed.dest !== undefined) failed.dest = failed.dest.replace(BELOW_STAGING, '') || '/';
  return failed;
}

/** A StoreError about the staged `copy`, with the name `file` that the caller knows. */
export function renameInError(error: unknown, copy: string, file: string): unknown {
  if (!(error instanceof StoreError)) return error;
  return new StoreError(error.code, error.message.replaceAll(copy, file), error.cause);
}

/**
 * Makes a directory and its missing parents with mode 0700. Returns a function that removes them again, as far as they are
 * empty. `mkdirSync` with `recursive` does not return when a parent such as `/proc` refuses, so each is made by itself.
 */
export function makeDirectory(path: string): () => void {
  const made: string[] = [];
  const removeMade = (): void => {
    for (const each of made.splice(0)) if (!removeEmpty(each)) return;
  };
  try {
    for (const each of missingDirectories(resolve(path))) if (makeMissing(each)) made.unshift(each);
  } catch (error) {
    removeMade();
    throw error;
  }
  return removeMade;
}

/** Outermost first. */
function missingDirectories(path: string): string[] {
  return existsSync(path) ? [] : [...missingDirectories(dirname(path)), path];
}

/** False when another process made the directory first: then it is not ours to remove. */
function makeMissing(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if (isDirectory(path)) return false;
    throw error;
  }
}

function removeEmpty(path: string): boolean {
  try {
    rmdirSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Follows symbolic links. */
export function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
