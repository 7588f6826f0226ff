import { type Dirent, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { segmentsOf } from '../pattern/path-pattern.ts';
import { type IgnoreFile, isIgnored, parseIgnore } from './ignore.ts';

const DEEPEST = 256;
const LARGEST_IGNORE_FILE = 1024 * 1024;

export interface WalkOptions {
  /** The real path of a directory. */
  readonly root: string;
  /** Includes names that begin with a dot. */
  readonly hidden: boolean;
  /** Includes `node_modules`. */
  readonly modules: boolean;
}

interface Folder {
  readonly path: string;
  readonly segments: readonly string[];
  readonly ignores: readonly IgnoreFile[];
}

/**
 * Absolute paths of the regular files below a directory. Skips symbolic links, so that the walk ends, `.git`, and files
 * ignored by `.gitignore`. Blocks: for worker threads.
 */
export function* walkFiles(options: WalkOptions): Generator<string> {
  const segments = segmentsOf(options.root);
  const above = ignoresAbove(options.root);
  // A `root` that is itself ignored was named on purpose.
  const ignores = isWithinIgnored(above, segments) ? [] : above;
  const folders: Folder[] = [{ path: options.root, segments, ignores }];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = entriesOf(folder.path);
    const here = withOwnIgnores(folder, entries);
    for (const entry of entries) {
      const isDirectory = entry.isDirectory();
      if (!(isDirectory || entry.isFile()) || isSkipped(entry.name, isDirectory, options)) continue;
      const path = [...folder.segments, entry.name];
      if (isIgnored(here, path, isDirectory)) continue;
      if (!isDirectory) yield join(folder.path, entry.name);
      else if (path.length < DEEPEST)
        folders.push({ path: join(folder.path, entry.name), segments: path, ignores: here });
    }
  }
}

function isSkipped(name: string, isDirectory: boolean, { hidden, modules }: WalkOptions): boolean {
  if (name === '.git') return true;
  if (name === 'node_modules' && isDirectory) return !modules;
  return name.startsWith('.') && !hidden;
}

function entriesOf(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return []; // gone meanwhile, or not ours to read
  }
}

function withOwnIgnores(folder: Folder, entries: readonly Dirent[]): readonly IgnoreFile[] {
  const hasOwn = entries.some((entry) => entry.name === '.gitignore' && entry.isFile());
  const own = hasOwn ? ignoresIn(join(folder.path, '.gitignore'), folder.segments.length) : undefined;
  return own === undefined ? folder.ignores : [...folder.ignores, own];
}

function ignoresIn(file: string, depth: number): IgnoreFile | undefined {
  try {
    const found = statSync(file);
    if (!found.isFile() || found.size > LARGEST_IGNORE_FILE) return undefined;
    return parseIgnore(readFileSync(file, 'utf8'), depth);
  } catch {
    return undefined;
  }
}

/** The rules of the directories between the repository and `root`, outermost first. None outside a repository. */
function ignoresAbove(root: string): IgnoreFile[] {
  const files: IgnoreFile[] = [];
  for (let path = root; ; path = dirname(path)) {
    const depth = segmentsOf(path).length;
    const own = path === root ? undefined : ignoresIn(join(path, '.gitignore'), depth);
    if (own !== undefined) files.unshift(own);
    if (existsSync(join(path, '.git'))) {
      const exclude = ignoresIn(join(path, '.git/info/exclude'), depth);
      return exclude === undefined ? files : [exclude, ...files];
    }
    if (path === dirname(path)) return [];
  }
}

function isWithinIgnored(files: readonly IgnoreFile[], segments: readonly string[]): boolean {
  return segments.some((_, index) =>
    isIgnored(
      files.filter(({ depth }) => depth <= index),
      segments.slice(0, index + 1),
      true,
    ),
  );
}
