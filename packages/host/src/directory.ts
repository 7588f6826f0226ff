import { existsSync, mkdirSync, rmdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a directory and its parents with mode 0700. Returns a function that removes the new directories, as far as they
 * are empty. Each is made by its own `mkdirSync`: the `recursive` option never returns where the last part cannot be
 * made although its parent exists, as in `/proc`.
 */
export function makeDirectory(path: string): () => void {
  const made: string[] = [];
  const unmake = (): void => {
    for (const each of made.splice(0)) if (!removed(each)) return;
  };
  try {
    for (const each of absent(resolve(path))) if (make(each)) made.unshift(each);
  } catch (error) {
    unmake();
    throw error;
  }
  return unmake;
}

/** The missing directories, outermost first. */
function absent(path: string): string[] {
  return existsSync(path) ? [] : [...absent(dirname(path)), path];
}

/** False when another process has made `path` in the meantime. */
function make(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if (isDirectory(path)) return false;
    throw error;
  }
}

function removed(path: string): boolean {
  try {
    rmdirSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Whether this is a directory, or leads to one. */
export function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
