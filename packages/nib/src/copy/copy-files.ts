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
import { isBelow } from '../files/inside.ts';
import { lstatIfThere } from '../files/read.ts';
import { type Held, isSame, putHeld, type Snapshot } from '../files/snapshot.ts';

/** Directories that no operation needs, and that can be large. */
const LEFT_OUT: ReadonlySet<string> = new Set(['.git', '.nib', 'node_modules']);

/** Larger files are pictures, recordings and exports; a backend of this protocol edits and reads text. */
const LARGEST_BYTES = 32 * 1024 * 1024;

/** Writes a snapshot of the project to the copy, then large files and tools' directories, which a snapshot leaves out. */
export function fillCopy(root: string, copy: string, snapshot: Snapshot): void {
  for (const [path, held] of snapshot) putInCopy(root, copy, path, held);
  copyRest(realpathSync(root), copy, '');
}

/** Brings the files of a copy to a snapshot of the project, and deletes files that the snapshot does not have. */
export function updateCopy(root: string, copy: string, current: Snapshot, wanted: Snapshot): void {
  for (const path of current.keys()) if (!wanted.has(path)) removePath(copy, path);
  for (const [path, held] of wanted) {
    if (held.kind === 'seen' || isSame(current.get(path), held)) continue;
    removePath(copy, path);
    putInCopy(root, copy, path, held);
  }
}

/** Never through a link that stands where a directory was. */
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

/** The copy is ours to change, also when the project may only be read. */
function putInCopy(root: string, copy: string, path: string, held: Held): void {
  if (held.kind === 'link') return putLink(root, copy, path, held.target);
  putHeld(join(copy, path), held.kind === 'file' ? { ...held, mode: held.mode | 0o600 } : held);
}

/** A link comes along when it leads into the project, and then leads into the copy: through another the original could be changed. */
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

function copyRest(root: string, copy: string, directory: string): void {
  mkdirSync(join(copy, directory), { recursive: true, mode: 0o700 });
  for (const entry of entriesOf(join(root, directory))) {
    const path = join(directory, entry.name);
    if (LEFT_OUT.has(entry.name)) continue;
    if (entry.isDirectory()) copyRest(root, copy, path);
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
    // Files that are closed to us are closed to a backend as well.
  }
}

function entriesOf(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    // Directories that are closed to us are closed to a backend as well.
    return [];
  }
}
