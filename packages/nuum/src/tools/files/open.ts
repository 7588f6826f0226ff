import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import type { FileId, LinkGuard } from '../../policy/withheld-links.ts';
import { codeOf } from '../outcome.ts';
import { specialKind } from './file-kind.ts';
import type { Place } from './place.ts';
import { nearNames } from './similar-names.ts';

export interface Opened {
  readonly handle: FileHandle;
  readonly stats: Stats;
}

/**
 * Opens a regular file. `lstat` before, since opening a device can have effects; `fstat` after, since the file may have
 * been replaced. `O_NONBLOCK`: a FIFO without a writer must not block. `guard` is asked both times, too.
 */
export async function openRegular({ path, real }: Place, guard: LinkGuard): Promise<Opened> {
  const found = await lstat(real).catch(async (error: unknown) => {
    throw await explainMissing(path, error);
  });
  refuseSpecial(path, found);
  refuseWithheld(real, found, guard);
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
  const handle = await open(real, flags).catch((error: unknown) => {
    if (codeOf(error) === 'EACCES') throw new Error(`${path} may not be read by this user.`);
    throw error;
  });
  try {
    const stats = await handle.stat();
    refuseSpecial(path, stats);
    refuseWithheld(real, stats, guard);
    return { handle, stats };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Throws when a file is withheld under another name. */
export function refuseWithheld(real: string, found: FileId, guard: LinkGuard): void {
  const problem = guard(real, found);
  if (problem !== undefined) throw new Error(problem);
}

export function refuseSpecial(path: string, found: Stats): void {
  const kind = specialKind(found);
  if (kind === undefined) return;
  const hint = kind === 'a directory' ? ' List it with glob or with ls.' : ' Only regular files will do.';
  throw new Error(`${path} is ${kind}.${hint}`);
}

async function explainMissing(path: string, error: unknown): Promise<unknown> {
  if (codeOf(error) === 'EACCES') return new Error(`${path} may not be looked at by this user.`);
  if (codeOf(error) === 'ENAMETOOLONG') return new Error(`The name ${path.slice(0, 200)}… is too long.`);
  if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR') return error;
  const near = await nearNames(path);
  const hint = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`;
  return new Error(`There is no file ${path}.${hint}`);
}
