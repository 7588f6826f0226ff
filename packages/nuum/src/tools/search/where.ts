import { statSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';
import { placeOf } from '../files/place.ts';
import { isWild } from '../pattern/wildcard.ts';
import type { ToolContext } from '../tool.ts';

/** Where a search starts: the real path of a directory or a file. Throws when there is none. */
export function rootOf(path: string | undefined, context: ToolContext): string {
  const place = placeOf(path ?? '.', context);
  const found = statSync(place.real, { throwIfNoEntry: false });
  if (found === undefined) throw new Error(`There is no directory ${place.path}.`);
  if (!found.isDirectory() && !found.isFile()) throw new Error(`${place.path} is no directory.`);
  return place.real;
}

/** A path as it is shown: from the working directory where it is below that. */
export function shownPath(path: string, directory: string): string {
  const from = relative(directory, path);
  return from === '' || from.startsWith(`..${sep}`) || from === '..' || isAbsolute(from) ? path : from;
}

/** A pattern that begins with the path of a directory, taken apart: the directory and the pattern below it. */
export function splitPattern(pattern: string): { readonly path?: string; readonly pattern: string } {
  if (!isAbsolute(pattern)) return { pattern };
  const segments = pattern.split('/');
  const wild = segments.findIndex((segment) => isWild(segment) || segment.includes('{'));
  const end = wild < 0 ? segments.length - 1 : wild;
  return { path: segments.slice(0, end).join('/') || '/', pattern: segments.slice(end).join('/') };
}

/** Whether a pattern itself names something that is passed over otherwise. */
export function namesHidden(pattern: string): boolean {
  return /(^|[/{,])\.[^./]/.test(pattern);
}

/** As `namesHidden`, for directories of installed packages. */
export function namesModules(pattern: string, root: string): boolean {
  return `${root}/${pattern}`.split('/').includes('node_modules');
}
