import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { codeOf } from '../outcome.ts';

/** The limit of Linux. */
const MOST_LINKS = 40;

/**
 * The real path, also of a file that does not exist: dangling links are followed, since a file written through one is
 * created at its target. Throws when it cannot be determined.
 */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR') throw error;
  }
  return followLinks(resolve(path));
}

function followLinks(path: string): string {
  let rest = path;
  for (let links = 0; links <= MOST_LINKS; links += 1) {
    const link = firstLink(rest);
    if (link === undefined) return rest;
    rest = join(resolve(dirname(link), readlinkSync(link)), rest.slice(link.length));
  }
  throw new Error(`${path} goes through too many links.`);
}

/** The first component that is a link. Undefined when none of the existing components is. */
function firstLink(path: string): string | undefined {
  const parts = path.split(sep);
  for (let count = 2; count <= parts.length; count += 1) {
    const here = parts.slice(0, count).join(sep);
    const found = lstatIfThere(here);
    if (found === undefined) return undefined;
    if (found.isSymbolicLink()) return here;
  }
  return undefined;
}

function lstatIfThere(path: string): ReturnType<typeof lstatSync> | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Whether a path is a directory or lies below it. Both must be real. */
export function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}
