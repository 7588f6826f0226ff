import { statSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';
import { placeOf } from '../files/place.ts';
import { isWild } from '../pattern/wildcard.ts';
import type { ToolContext } from '../tool.ts';

/** The real path of the directory or file where a search starts. Throws when it does not exist. */
export function rootOf(path: string | undefined, context: ToolContext): string {
  const place = placeOf(path ?? '.', context);
  const found = statSync(place.real, { throwIfNoEntry: false });
  if (found === undefined) throw new Error(`There is no directory ${place.path}.`);
  if (!found.isDirectory() && !found.isFile()) throw new Error(`${place.path} is no directory.`);
  return place.real;
}

/** Relative to the working directory for paths below it, else absolute. */
export function shownPath(path: string, directory: string): string {
  const from = relative(directory, path);
  return from === '' || from.startsWith(`..${sep}`) || from === '..' || isAbsolute(from) ? path : from;
}

/** Splits an absolute pattern into its directory and the pattern below it. */
export function splitPattern(pattern: string): { readonly path?: string; readonly pattern: string } {
  if (!isAbsolute(pattern)) return { pattern };
  const segments = pattern.split('/');
  const wild = segments.findIndex((segment) => isWild(segment) || segment.includes('{'));
  const end = wild < 0 ? segments.length - 1 : wild;
  return { path: segments.slice(0, end).join('/') || '/', pattern: segments.slice(end).join('/') };
}

/** Whether a pattern names a file or directory that begins with a dot. */
export function namesHidden(pattern: string): boolean {
  return /(^|[/{,])\.[^./]/.test(pattern);
}

/** Whether a pattern or the root names `node_modules`. */
export function namesModules(pattern: string, root: string): boolean {
  return `${root}/${pattern}`.split('/').includes('node_modules');
}
