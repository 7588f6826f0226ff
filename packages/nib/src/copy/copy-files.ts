import {
  chmodSync,
  constants,
  copyFileSync,
  type Dirent,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { isBelow } from '../files/project-path.ts';
import { lstatIfThere } from '../files/read-file.ts';
import { type FileState, isSame, type Snapshot, writeFileState } from '../files/snapshot.ts';

/** Directories that no operation needs, and that can be large. */
const LEFT_OUT: ReadonlySet<string> = new Set(['.git', '.nib', 'node_modules']);

/** Larger files are pictures, recordings and exports; a backend edits and reads text. */
const LARGEST_BYTES = 32 * 1024 * 1024;

/** Writes a snapshot of the project to the copy, then the large files and tool directories that a snapshot omits. */
export function fillCopy(root: string, copy: string, snapshot: Snapshot): void {
  for (const [path, state] of snapshot) putInCopy(root, copy, path, state);
  copyUnlisted(realpathSync(root), copy, '');
}

/** Changes the files of a copy from `current` to `wanted`, and deletes files that `wanted` lacks. */
export function updateCopy(root: string, copy: string, current: Snapshot, wanted: Snapshot): void {
  for (const path of current.keys()) if (!wanted.has(path)) removePath(copy, path);
  for (const [path, state] of wanted) {
    if (state.kind === 'seen' || state.kind === 'other' || isSame(current.get(path), state)) continue;
    removePath(copy, path);
    putInCopy(root, copy, path, state);
  }
}

/**
 * If a directory of the path was replaced by a link or a file, removes that: a path through a link leads out of the
 * copy.
 */
function removePath(copy: string, path: string): void {
  const parts = dirname(path) === '.' ? [] : dirname(path).split('/');
  for (const [at] of parts.entries()) {
    const parent = join(copy, ...parts.slice(0, at + 1));
    const stat = lstatIfThere(parent);
    if (stat === undefined || stat.isDirectory()) continue;
    rmSync(parent, { force: true });
    return;
  }
  rmSync(join(copy, path), { recursive: true, force: true });
}

/** The files of the copy are writable even if those of the project are not. */
function putInCopy(root: string, copy: string, path: string, state: FileState): void {
  if (state.kind === 'link') return putLink(root, copy, path, state.target);
  if (state.kind === 'other') return;
  writeFileState(join(copy, path), state.kind === 'file' ? { ...state, mode: state.mode | 0o600 } : state);
}

/**
 * Copies a link only if its target is inside the project, and points it into the copy: another link would let a backend
 * change the original.
 */
function putLink(root: string, copy: string, path: string, target: string): void {
  const real = realpathSync(root);
  const places = [resolve(real, dirname(path), target), resolve(root, dirname(path), target)];
  const inside = places
    .map((place, at) => ({ place, base: at === 0 ? real : root }))
    .find(({ place, base }) => isBelow(base, place));
  if (inside === undefined) return;
  const file = join(copy, path);
  mkdirSync(dirname(file), { recursive: true });
  symlinkSync(relative(dirname(file), join(copy, relative(inside.base, inside.place))), file);
}

function copyUnlisted(root: string, copy: string, directory: string): void {
  mkdirSync(join(copy, directory), { recursive: true, mode: 0o700 });
  for (const entry of listEntries(join(root, directory))) {
    const path = join(directory, entry.name);
    if (LEFT_OUT.has(entry.name)) continue;
    if (entry.isDirectory()) copyUnlisted(root, copy, path);
    else if (lstatIfThere(join(copy, path)) === undefined) copyOne(root, copy, path, entry);
  }
}

function copyOne(root: string, copy: string, path: string, entry: Dirent): void {
  const source = join(root, path);
  if (entry.isSymbolicLink()) return putLink(root, copy, path, readlinkSync(source));
  if (!entry.isFile() || lstatSync(source).size > LARGEST_BYTES) return;
  try {
    copyFileSync(source, join(copy, path), constants.COPYFILE_FICLONE);
    chmodSync(join(copy, path), lstatSync(source).mode | 0o600);
  } catch {
    // A file that nib cannot read is closed to the backend as well.
  }
}

function listEntries(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    // A directory that nib cannot read is closed to the backend as well.
    return [];
  }
}
