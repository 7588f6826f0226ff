import { isUtf8 } from 'node:buffer';
import { type Dirent, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { extname, isAbsolute, join, relative, resolve } from 'node:path';
import { ToolError } from './tool.ts';

/** A text file of the project. */
export interface ProjectFile {
  /** The path with all links resolved. */
  readonly path: string;
  /** The path relative to the project's root. */
  readonly name: string;
}

const KINDS: ReadonlySet<string> = new Set(['.md', '.markdown', '.txt', '.yaml', '.yml', '.csv', '.json']);
const LARGEST_BYTES = 2 * 1024 * 1024;

/** Limit of `listFiles`; a manuscript has fewer files. */
const MOST_FILES = 5_000;
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', 'build']);

/**
 * The file at a path, relative to `root` or absolute. Throws a `ToolError` for a path that leaves the project, by its
 * name or by a link, and for hidden and binary files: a model may name a file because a text it read said so.
 */
export function resolveProjectFile(root: string, path: string): ProjectFile {
  const real = resolveLinks(resolve(root, path), path);
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

function resolveLinks(absolute: string, path: string): string {
  if (path === '' || path.includes('\0')) throw new ToolError('A path is missing.');
  try {
    return realpathSync(absolute);
  } catch {
    throw new ToolError(
      `There is no file ${path}. Use the paths you were given, relative to the project's root.`,
    );
  }
}

/** The text of a project file. `edit` writes this text back, so invalid UTF-8 must not be replaced. */
export function readText({ path, name }: ProjectFile): string {
  const bytes = readFileSync(path);
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw new ToolError(
    `${name} is not UTF-8 text and cannot be used. The author can convert it with nib ma convert.`,
  );
}

/** The text of a file for a search; invalid UTF-8 becomes U+FFFD. */
export function readSearchText({ path }: ProjectFile): string {
  return readFileSync(path, 'utf8');
}

/** All text files of the project, sorted by name. Links are not followed, hidden directories are skipped. */
export function listFiles(root: string): readonly ProjectFile[] {
  const found: ProjectFile[] = [];
  const waiting = [''];
  for (let at = waiting.shift(); at !== undefined && found.length < MOST_FILES; at = waiting.shift()) {
    for (const entry of listEntries(join(root, at))) {
      const name = join(at, entry.name);
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) waiting.push(name);
      if (entry.isFile() && KINDS.has(extname(name).toLowerCase()))
        found.push({ path: join(root, name), name });
    }
  }
  return found;
}

function listEntries(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter(({ name }) => !name.startsWith('.'))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    // An unreadable directory counts as empty.
    return [];
  }
}

/** Whether a file is within `LARGEST_BYTES`, so that it can be searched. */
export function isSmall({ path }: ProjectFile): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && found.size <= LARGEST_BYTES;
}
