import { closeSync, constants, fstatSync, openSync, realpathSync } from 'node:fs';
import { isAbsolute, relative } from 'node:path';

/** A file that may be handed out: opened once, so that what was checked is what is read. */
export interface OpenMedia {
  readonly fd: number;
  readonly path: string;
  readonly size: number;
}

/** Why a file may not be handed out. */
export interface MediaRefusal {
  readonly refused: string;
}

/**
 * Opens a file an agent named, if it lies inside one of `roots` once every link is resolved and is a regular file.
 * The path is resolved first and opened without following a last link, then checked again by what was opened: a
 * link swapped in between leads to a refusal. The caller closes `fd`.
 */
export function openMedia(path: string, roots: readonly string[]): OpenMedia | MediaRefusal {
  if (!isAbsolute(path) || path.includes('\0')) return { refused: 'the path is not absolute' };
  let fd: number | undefined;
  try {
    const real = realpathSync(path);
    if (!roots.some((root) => isInside(real, root)))
      return { refused: 'it lies outside the directories allowed' };
    fd = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stat = fstatSync(fd);
    if (!stat.isFile()) return close(fd, 'it is not a regular file');
    if (realpathSync(path) !== real) return close(fd, 'it changed while it was looked at');
    return { fd, path: real, size: stat.size };
  } catch (error) {
    if (fd !== undefined) closeSync(fd);
    return { refused: reason(error) };
  }
}

function close(fd: number, refused: string): MediaRefusal {
  closeSync(fd);
  return { refused };
}

function isInside(path: string, root: string): boolean {
  const way = relative(resolved(root), path);
  return way !== '' && way !== '..' && !way.startsWith('../') && !isAbsolute(way);
}

function resolved(root: string): string {
  try {
    return realpathSync(root);
  } catch {
    return root;
  }
}

function reason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such file';
  if (code === 'EACCES' || code === 'EPERM') return 'it may not be read';
  return `it cannot be opened (${code || String(error)})`;
}
