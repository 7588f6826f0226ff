import { isUtf8 } from 'node:buffer';
import { type Dirent, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { extname, isAbsolute, join, relative, resolve } from 'node:path';
import { ToolError } from './tool.ts';

/** A text file of the project. */
export interface Place {
  /** With all links resolved. */
  readonly path: string;
  /** Relative to the project's root. */
  readonly name: string;
}

const KINDS: ReadonlySet<string> = new Set(['.md', '.markdown', '.txt', '.yaml', '.yml', '.csv', '.json']);
const LARGEST_BYTES = 2 * 1024 * 1024;

/** What the model finds by looking around: more than this is no manuscript. */
const MOST_FILES = 5_000;
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', 'build']);

/**
 * The file that a path names, relative to the root or absolute. What leads out of the project, by its name or by any
 * link, is refused, and so is what is hidden or no text: names come from a model that reads what others wrote.
 */
export function placeOf(root: string, path: string): Place {
  const real = realOf(resolve(root, path), path);
  const name = relative(root, real);
  if (name === '..' || name.startsWith('../') || isAbsolute(name))
    throw new ToolError(`${path} is outside the project. Only files of the project can be used.`);
  if (name.split('/').some((part) => part.startsWith('.')))
    throw new ToolError(`${path} is hidden and cannot be used.`);
  const found = statSync(real);
  if (found.isDirectory()) throw new ToolError(`${path} is a directory. Use glob to see what is in it.`);
  if (!found.isFile() || !KINDS.has(extname(name).toLowerCase()))
    throw new ToolError(`${path} is no text file: ${[...KINDS].join(', ')} can be used.`);
  if (found.size > LARGEST_BYTES) throw new ToolError(`${path} is too large: ${found.size} bytes.`);
  return { path: real, name };
}

function realOf(absolute: string, path: string): string {
  if (path === '' || path.includes('\0')) throw new ToolError('A path is missing.');
  try {
    return realpathSync(absolute);
  } catch {
    throw new ToolError(
      `There is no file ${path}. Use the paths you were given, relative to the project's root.`,
    );
  }
}

/** The text of a file of the project. `edit` writes this text back, so bytes that are not UTF-8 must not be replaced. */
export function textOf({ path, name }: Place): string {
  const bytes = readFileSync(path);
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw new ToolError(
    `${name} is not UTF-8 text and cannot be used. The author can convert it with nib ma convert.`,
  );
}

/** The text of a file for a search; bytes that are not UTF-8 become U+FFFD. */
export function searchTextOf({ path }: Place): string {
  return readFileSync(path, 'utf8');
}

/** Every text file of the project, in the order of names. Links are not followed, hidden directories are left out. */
export function filesOf(root: string): readonly Place[] {
  const found: Place[] = [];
  const waiting = [''];
  for (let at = waiting.shift(); at !== undefined && found.length < MOST_FILES; at = waiting.shift()) {
    for (const entry of entriesOf(join(root, at))) {
      const name = join(at, entry.name);
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) waiting.push(name);
      if (entry.isFile() && KINDS.has(extname(name).toLowerCase()))
        found.push({ path: join(root, name), name });
    }
  }
  return found;
}

function entriesOf(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter(({ name }) => !name.startsWith('.'))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    // A directory that may not be read holds nothing for us.
    return [];
  }
}

/** Whether a file is small enough to be looked into. */
export function isSmall({ path }: Place): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && found.size <= LARGEST_BYTES;
}
