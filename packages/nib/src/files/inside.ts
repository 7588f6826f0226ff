import { lstatSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { NibError } from '../failure.ts';

/** Whether a path is the directory itself or lies below it, by its name alone. */
export function isBelow(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way);
}

/**
 * The absolute path of something in the project. What leaves the project, by its name or through a link anywhere on
 * the way, is refused: names come from files that other people and programs write.
 */
export function insideProject(root: string, path: string): string {
  const absolute = resolve(root, path);
  if (!isBelow(root, absolute)) throw new NibError(`${path} lies outside the project ${root}.`);
  const real = realOf(nearestExisting(absolute), path);
  if (!isBelow(realpathSync(root), real)) {
    throw new NibError(`${path} is a link that leads out of the project ${root}, to ${real}.`);
  }
  return absolute;
}

function nearestExisting(path: string): string {
  let here = path;
  while (lstatSync(here, { throwIfNoEntry: false }) === undefined && dirname(here) !== here)
    here = dirname(here);
  return here;
}

function realOf(existing: string, path: string): string {
  try {
    return realpathSync(existing);
  } catch {
    throw new NibError(`${path} is a link that leads nowhere. Mend or remove it.`);
  }
}
