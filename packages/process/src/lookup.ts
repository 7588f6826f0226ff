import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, resolve } from 'node:path';
import type { Command } from './command.ts';

export type Kind = 'missing' | 'file' | 'program' | 'directory';

export interface Found {
  readonly path: string;
  readonly kind: Kind;
}

/** What the C library looks through when there is no PATH. */
const DEFAULT_PATH = '/bin:/usr/bin';

/** The first file of that name, as the kernel saw it: after the change of directory, on the PATH of the child. */
export async function lookUp({ file, cwd = '.', env }: Command): Promise<Found> {
  if (file === '') return { path: file, kind: 'missing' };
  const folders = file.includes('/') ? [''] : (env.PATH ?? DEFAULT_PATH).split(delimiter);
  let best: Found = { path: file, kind: 'missing' };
  for (const folder of folders) {
    const path = resolve(cwd, folder, file);
    const kind = await kindOf(path);
    if (kind === 'program') return { path, kind };
    if (best.kind === 'missing') best = { path, kind };
  }
  return best.kind === 'missing' ? { path: file, kind: 'missing' } : best;
}

export async function kindOf(path: string): Promise<Kind> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return 'missing';
  if (found.isDirectory()) return 'directory';
  const may = await access(path, constants.X_OK).catch(() => 'not');
  return may === 'not' ? 'file' : 'program';
}
