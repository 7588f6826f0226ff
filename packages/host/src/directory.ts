import { existsSync, mkdirSync, rmdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a directory, with those above it, for the owner's eyes alone. Returns how to remove those that were made, as far as
 * they are empty. One by one: where nothing can be made though all above is there, as in `/proc`, to ask the system for all
 * of them together never ends.
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

/** The directories that are not there, the outermost first. */
function absent(path: string): string[] {
  return existsSync(path) ? [] : [...absent(dirname(path)), path];
}

/** False when somebody else has made it meanwhile. */
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
