import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { codeOf } from '../outcome.ts';
import { specialKind } from './kind.ts';
import { nearNames } from './near.ts';
import type { Place } from './place.ts';

/** A regular file that is open for reading. */
export interface Opened {
  readonly handle: FileHandle;
  readonly stats: Stats;
}

/**
 * Opens a regular file, and nothing else. It is looked at before it is opened, since opening a device can do something
 * by itself, and again after, since it may have been replaced in between; a pipe without a writer does not block.
 */
export async function openRegular({ path, real }: Place): Promise<Opened> {
  const found = await lstat(real).catch(async (error: unknown) => {
    throw await missing(path, error);
  });
  refuseSpecial(path, found);
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
  const handle = await open(real, flags).catch((error: unknown) => {
    if (codeOf(error) === 'EACCES') throw new Error(`${path} may not be read by this user.`);
    throw error;
  });
  try {
    const stats = await handle.stat();
    refuseSpecial(path, stats);
    return { handle, stats };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Throws for what is no regular file. */
export function refuseSpecial(path: string, found: Stats): void {
  const kind = specialKind(found);
  if (kind === undefined) return;
  const hint = kind === 'a directory' ? ' List it with glob or with ls.' : ' Only regular files will do.';
  throw new Error(`${path} is ${kind}.${hint}`);
}

async function missing(path: string, error: unknown): Promise<unknown> {
  if (codeOf(error) === 'EACCES') return new Error(`${path} may not be looked at by this user.`);
  if (codeOf(error) === 'ENAMETOOLONG') return new Error(`The name ${path.slice(0, 200)}… is too long.`);
  if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR') return error;
  const near = await nearNames(path);
  const hint = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`;
  return new Error(`There is no file ${path}.${hint}`);
}
