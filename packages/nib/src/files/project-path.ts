import { lstatSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { NibError } from '../nib-error.ts';

/** Whether `path` is `directory` or below it, by its name alone. */
export function isBelow(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way);
}

/**
 * The absolute path of a file in the project. Throws for a path that leaves the project, by its name or through a link
 * in any of its directories: names come from files that other people and programs write.
 */
export function resolveInProject(root: string, path: string): string {
  const absolute = resolve(root, path);
  if (!isBelow(root, absolute)) throw new NibError(`${path} lies outside the project ${root}.`);
  const real = resolveLinks(findNearestExisting(absolute), path);
  if (!isBelow(realpathSync(root), real)) {
    throw new NibError(`${path} is a link that leads out of the project ${root}, to ${real}.`);
  }
  return absolute;
}

function findNearestExisting(path: string): string {
  let here = path;
  while (lstatSync(here, { throwIfNoEntry: false }) === undefined && dirname(here) !== here)
    here = dirname(here);
  return here;
}

function resolveLinks(existing: string, path: string): string {
  try {
    return realpathSync(existing);
  } catch {
    throw new NibError(`${path} is a link that leads nowhere. Mend or remove it.`);
  }
}
