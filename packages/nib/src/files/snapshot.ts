import {
  chmodSync,
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  type Stats,
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
  | { readonly kind: 'link'; readonly target: string }
  /** No file, such as a pipe: not read, not kept and not a deletion. */
  | { readonly kind: 'other'; readonly what: string };

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
      if (!entry.isDirectory()) keep(path);
      else if (!isToolDirectory(entry.name)) visit(path);
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
  if (a.kind === 'other' && b.kind === 'other') return a.what === b.what;
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

/** Nothing where no file stands, for the history and comparisons of files. */
export function forgetOther(state: FileState | undefined): FileState | undefined {
  return state?.kind === 'other' ? undefined : state;
}

/**
 * What stands in the way of a file that a snapshot lacks: a directory at its path, or a link or a file for one of its
 * directories. Undefined when the path is free.
 */
export function findObstacle(root: string, path: string): FileState | undefined {
  const parts = path.split('/');
  for (const [at] of parts.entries()) {
    const here = parts.slice(0, at + 1).join('/');
    const stat = lstatIfThere(join(root, here));
    if (stat === undefined) return undefined;
    if (here === path) return { kind: 'other', what: nameKind(stat) };
    if (!stat.isDirectory()) return { kind: 'other', what: `below ${here}, which is ${nameKind(stat)}` };
  }
  return undefined;
}

/** Reads a file or link of any size; undefined when the path is free or a directory. */
export function readFileState(file: string): FileState | undefined {
  return readState(file, true);
}

function readState(file: string, whole: boolean): FileState | undefined {
  const stat = lstatIfThere(file);
  if (stat === undefined || stat.isDirectory()) return undefined;
  if (!stat.isFile() && !stat.isSymbolicLink()) return { kind: 'other', what: nameKind(stat) };
  const seen: FileState = { kind: 'seen', size: stat.size, changedAt: stat.mtimeMs };
  try {
    if (stat.isSymbolicLink()) return { kind: 'link', target: readlinkSync(file) };
    if (stat.size > LARGE_BYTES && !whole) return seen;
    return readRegular(file);
  } catch (error) {
    if (getErrorCode(error) === 'EACCES') return seen;
    if (getErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** `O_NONBLOCK`: a pipe may have replaced the file since `lstat`, and opening one blocks until a writer comes. */
function readRegular(file: string): FileState {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) return { kind: 'other', what: nameKind(stat) };
    return { kind: 'file', bytes: readFileSync(descriptor), mode: stat.mode & 0o777 };
  } finally {
    closeSync(descriptor);
  }
}

function nameKind(stat: Stats): string {
  if (stat.isDirectory()) return 'a directory';
  if (stat.isFIFO()) return 'a named pipe';
  if (stat.isSocket()) return 'a socket';
  if (stat.isSymbolicLink()) return 'a link';
  return stat.isFile() ? 'a file' : 'a device';
}
