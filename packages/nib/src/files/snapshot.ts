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
import { errorCode } from '../failure.ts';
import { lstatIfThere } from './read.ts';

/** One file or link of the project at one moment. */
export type Held =
  | { readonly kind: 'file'; readonly bytes: Buffer; readonly mode: number }
  /** Too large to keep, or closed to us: a change is noticed, and cannot be undone. */
  | { readonly kind: 'seen'; readonly size: number; readonly changedAt: number }
  | { readonly kind: 'link'; readonly target: string };

/** What the project held at one moment, by paths relative to its root. */
export type Snapshot = ReadonlyMap<string, Held>;

/** Notes and scenes are far smaller; what is larger is a picture, a recording or an export. */
const LARGE_BYTES = 1024 * 1024;

/**
 * Reads the project's files. Directories whose name begins with a dot are left out: they belong to tools, a backend's own
 * among them, and change for reasons of their own. The files named are kept wherever they lie and however large they are,
 * but never through a link: a backend may have put one there that leads out of the project.
 */
export function takeSnapshot(root: string, named: readonly string[] = []): Snapshot {
  const held = new Map<string, Held>();
  const whole = new Set(named);
  const keep = (path: string): void => {
    const one = read(join(root, path), whole.has(path));
    if (one !== undefined) held.set(path, one);
  };
  const visit = (directory: string): void => {
    for (const entry of entriesOf(join(root, directory))) {
      const path = join(directory, entry.name);
      if (entry.isDirectory() && !isToolDirectory(entry.name)) visit(path);
      if (entry.isFile() || entry.isSymbolicLink()) keep(path);
    }
  };
  visit('');
  for (const path of whole) if (!held.has(path) && isReached(root, path)) keep(path);
  return held;
}

/** Writes a file or link; fails with EEXIST when the path is taken. */
export function putHeld(file: string, held: Held): void {
  mkdirSync(dirname(file), { recursive: true });
  if (held.kind === 'link') symlinkSync(held.target, file);
  if (held.kind !== 'file') return;
  writeFileSync(file, held.bytes, { flag: 'wx' });
  chmodSync(file, held.mode);
}

/** Whether two states of a path are the same. */
export function isSame(a: Held | undefined, b: Held | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (a.kind === 'file' && b.kind === 'file') return a.bytes.equals(b.bytes);
  if (a.kind === 'link' && b.kind === 'link') return a.target === b.target;
  return a.kind === 'seen' && b.kind === 'seen' && a.size === b.size && a.changedAt === b.changedAt;
}

/**
 * The names under which files may be found changed: their own, and those of what they are links to. Asked before a backend
 * is let at them, since afterwards a link may lead anywhere.
 */
export function namesFor(root: string, paths: readonly string[]): readonly string[] {
  return [...new Set(paths.flatMap((path) => [path, realPath(root, path)]))];
}

/** Where a path of the project leads, relative to its root; the path itself when it leads nowhere. */
function realPath(root: string, path: string): string {
  try {
    return relative(realpathSync(root), realpathSync(join(root, path)));
  } catch {
    return path;
  }
}

/** Whether every directory on the way to a path is one, and no link. */
function isReached(root: string, path: string): boolean {
  return join(realPath(root, dirname(path))) === dirname(path);
}

function isToolDirectory(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules';
}

/** Directories come and go while we look, and some are closed to us: a backend cannot look into those either. */
function entriesOf(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'EACCES') return [];
    throw error;
  }
}

/** Reads a file or link of any size; undefined when the path is free, a directory or a pipe. */
export function readHeld(file: string): Held | undefined {
  return read(file, true);
}

function read(file: string, whole: boolean): Held | undefined {
  const stat = lstatIfThere(file);
  // Directories have no contents of their own, and to read a pipe would wait for whoever writes to it.
  if (stat === undefined || !(stat.isFile() || stat.isSymbolicLink())) return undefined;
  const seen: Held = { kind: 'seen', size: stat.size, changedAt: stat.mtimeMs };
  try {
    if (stat.isSymbolicLink()) return { kind: 'link', target: readlinkSync(file) };
    if (stat.size > LARGE_BYTES && !whole) return seen;
    return { kind: 'file', bytes: readFileSync(file), mode: stat.mode & 0o777 };
  } catch (error) {
    if (errorCode(error) === 'EACCES') return seen;
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
