import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { codeOf } from '../outcome.ts';

/** As many links as Linux follows. */
const MOST_LINKS = 40;

/**
 * Where a path really leads, also when nothing is there yet: links are followed one by one, those that point to
 * nothing included, because a file written through such a link comes into being at its far end. Throws when that
 * cannot be known.
 */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR') throw error;
  }
  return follow(resolve(path));
}

function follow(path: string): string {
  let rest = path;
  for (let links = 0; links <= MOST_LINKS; links += 1) {
    const link = firstLink(rest);
    if (link === undefined) return rest;
    rest = join(resolve(dirname(link), readlinkSync(link)), rest.slice(link.length));
  }
  throw new Error(`${path} goes through too many links.`);
}

/** The first component that is a link; undefined when there is none before the path ends or nothing is there. */
function firstLink(path: string): string | undefined {
  const parts = path.split(sep);
  for (let count = 2; count <= parts.length; count += 1) {
    const here = parts.slice(0, count).join(sep);
    const found = look(here);
    if (found === undefined) return undefined;
    if (found.isSymbolicLink()) return here;
  }
  return undefined;
}

function look(path: string): ReturnType<typeof lstatSync> | undefined {
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
