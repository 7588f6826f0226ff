import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, resolve } from 'node:path';
import type { Command } from './command.ts';

export type FileKind = 'missing' | 'file' | 'program' | 'directory';

export interface FoundProgram {
  readonly path: string;
  readonly kind: FileKind;
}

/** The search path of the C library (`execvp`) without PATH. */
const DEFAULT_PATH = '/bin:/usr/bin';

/** The first match for `file`, searched as the kernel does it: after the change to `cwd`, on the child's own PATH. */
export async function lookUp({ file, cwd = '.', env }: Command): Promise<FoundProgram> {
  if (file === '') return { path: file, kind: 'missing' };
  const folders = file.includes('/') ? [''] : (env.PATH ?? DEFAULT_PATH).split(delimiter);
  let best: FoundProgram = { path: file, kind: 'missing' };
  for (const folder of folders) {
    const path = resolve(cwd, folder, file);
    const kind = await readFileKind(path);
    if (kind === 'program') return { path, kind };
    if (best.kind === 'missing') best = { path, kind };
  }
  return best.kind === 'missing' ? { path: file, kind: 'missing' } : best;
}

export async function readFileKind(path: string): Promise<FileKind> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return 'missing';
  if (found.isDirectory()) return 'directory';
  const may = await access(path, constants.X_OK).catch(() => 'not');
  return may === 'not' ? 'file' : 'program';
}
