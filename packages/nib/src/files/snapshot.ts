import {
  chmodSync,
  type Dirent,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { getErrorCode } from '../nib-error.ts';
import { lstatIfThere } from './read-file.ts';

/** One file or link of the project at one moment. */
export type FileState =
  | { readonly kind: 'file'; readonly bytes: Buffer; readonly mode: number }
  /** Too large, or not readable: a change is detected, and cannot be undone. */
  | { readonly kind: 'seen'; readonly size: number; readonly changedAt: number }
  | { readonly kind: 'link'; readonly target: string };

/** The files of the project at one moment, by paths relative to its root. */
export type Snapshot = ReadonlyMap<string, FileState>;

/** Notes and scenes are far smaller; a larger file is a picture, a recording or an export. */
const LARGE_BYTES = 1024 * 1024;

/**
 * Reads the project's files. Directories whose name begins with a dot are skipped: they belong to tools, also to a
 * backend, which change them at any time. Files in `named` are read at any path and of any size, but not through a
 * link: a backend may have created one that leads out of the project.
 */
export function takeSnapshot(root: string, named: readonly string[] = []): Snapshot {
  const states = new Map<string, FileState>();
  const whole = new Set(named);
  const keep = (path: string): void => {
    const one = readState(join(root, path), whole.has(path));
    if (one !== undefined) states.set(path, one);
  };
  const visit = (directory: string): void => {
    for (const entry of listEntries(join(root, directory))) {
      const path = join(directory, entry.name);
      if (entry.isDirectory() && !isToolDirectory(entry.name)) visit(path);
      if (entry.isFile() || entry.isSymbolicLink()) keep(path);
    }
  };
  visit('');
  for (const path of whole) if (!states.has(path) && hasRealParents(root, path)) keep(path);
  return states;
}

/** Writes a file or link; fails with EEXIST when the path exists. */
export function writeFileState(file: string, state: FileState): void {
  mkdirSync(dirname(file), { recursive: true });
  if (state.kind === 'link') symlinkSync(state.target, file);
  if (state.kind !== 'file') return;
  writeFileSync(file, state.bytes, { flag: 'wx' });
  chmodSync(file, state.mode);
}

/** Whether two states of a path are equal. */
export function isSame(a: FileState | undefined, b: FileState | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (a.kind === 'file' && b.kind === 'file') return a.bytes.equals(b.bytes);
  if (a.kind === 'link' && b.kind === 'link') return a.target === b.target;
  return a.kind === 'seen' && b.kind === 'seen' && a.size === b.size && a.changedAt === b.changedAt;
}

/**
 * The paths under which a change of `paths` may appear: the paths themselves and the targets of links. Must be called
 * before a backend starts, which may change the links.
 */
export function listAliases(root: string, paths: readonly string[]): readonly string[] {
  return [...new Set(paths.flatMap((path) => [path, resolveTarget(root, path)]))];
}

/** The target of a project path, relative to its root; the path itself when the target does not exist. */
function resolveTarget(root: string, path: string): string {
  try {
    return relative(realpathSync(root), realpathSync(join(root, path)));
  } catch {
    return path;
  }
}

/** Whether all directories of a path are real directories, without links. */
function hasRealParents(root: string, path: string): boolean {
  return join(resolveTarget(root, dirname(path))) === dirname(path);
}

function isToolDirectory(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules';
}

/** ENOENT: directories may be deleted during the scan. EACCES: the backend cannot read the directory either. */
function listEntries(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT' || getErrorCode(error) === 'EACCES') return [];
    throw error;
  }
}

/** Reads a file or link of any size; undefined when the path is free, a directory or a pipe. */
export function readFileState(file: string): FileState | undefined {
  return readState(file, true);
}

function readState(file: string, whole: boolean): FileState | undefined {
  const stat = lstatIfThere(file);
  // Reading a pipe would block until a writer opens it.
  if (stat === undefined || !(stat.isFile() || stat.isSymbolicLink())) return undefined;
  const seen: FileState = { kind: 'seen', size: stat.size, changedAt: stat.mtimeMs };
  try {
    if (stat.isSymbolicLink()) return { kind: 'link', target: readlinkSync(file) };
    if (stat.size > LARGE_BYTES && !whole) return seen;
    return { kind: 'file', bytes: readFileSync(file), mode: stat.mode & 0o777 };
  } catch (error) {
    if (getErrorCode(error) === 'EACCES') return seen;
    if (getErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
