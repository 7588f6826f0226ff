import { join } from 'node:path';
import type { Env } from '../env.ts';
import { NibError } from '../failure.ts';
import { readBytesIfThere } from '../files/read.ts';
import type { ScaffoldFile } from './files.ts';

/** What to do with files that are there already, when it was said beforehand. */
export type Standing = 'replace' | 'skip' | 'ask';

const KEYS = 'r = replace, R = replace all, s = skip, S = skip all, a = abort';

/** The files to write: those that are not there, and those that may be replaced. Nothing is written before all is answered. */
export async function filesToWrite(
  env: Env,
  directory: string,
  files: readonly ScaffoldFile[],
  standing: Standing,
): Promise<readonly ScaffoldFile[]> {
  const chosen: ScaffoldFile[] = [];
  let rule = standing;
  for (const file of files) {
    const there = readBytesIfThere(join(directory, file.path));
    if (there?.equals(Buffer.from(file.contents)) === true) continue;
    const answer = there === undefined ? 'replace' : rule === 'ask' ? await ask(env, file.path) : rule;
    if (answer === 'replace all') rule = 'replace';
    if (answer === 'skip all') rule = 'skip';
    if (answer.startsWith('replace')) chosen.push(file);
  }
  return chosen;
}

async function ask(env: Env, path: string): Promise<'replace' | 'replace all' | 'skip' | 'skip all'> {
  if (!env.keyboard.isTerminal) {
    throw new NibError(`${path} is there already. Say --force to replace such files or --skip to keep them.`);
  }
  env.err(`${path} is there already (${KEYS}): `);
  const key = await env.keyboard.key();
  env.err(`${key ?? ''}\n`);
  switch (key) {
    case 'r':
      return 'replace';
    case 'R':
      return 'replace all';
    case 's':
      return 'skip';
    case 'S':
      return 'skip all';
    default:
      throw new NibError('Nothing was written.');
  }
}
