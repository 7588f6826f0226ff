import { join } from 'node:path';
import type { Env } from '../env.ts';
import { readBytesIfThere } from '../files/read-file.ts';
import { NibError } from '../nib-error.ts';
import type { ScaffoldFile } from './scaffold-files.ts';

/** The rule for existing files: `--force`, `--skip`, or a question for each. */
export type OverwriteRule = 'replace' | 'skip' | 'ask';

const KEYS = 'r = replace, R = replace all, s = skip, S = skip all, a = abort';

/**
 * The files to write: missing files, and existing files that may be replaced. No file is written before all questions
 * are answered.
 */
export async function chooseFilesToWrite(
  env: Env,
  directory: string,
  files: readonly ScaffoldFile[],
  standing: OverwriteRule,
): Promise<readonly ScaffoldFile[]> {
  const chosen: ScaffoldFile[] = [];
  let rule = standing;
  for (const file of files) {
    const there = readBytesIfThere(join(directory, file.path));
    if (there?.equals(Buffer.from(file.contents)) === true) continue;
    const answer =
      there === undefined ? 'replace' : rule === 'ask' ? await askAboutFile(env, file.path) : rule;
    if (answer === 'replace all') rule = 'replace';
    if (answer === 'skip all') rule = 'skip';
    if (answer.startsWith('replace')) chosen.push(file);
  }
  return chosen;
}

async function askAboutFile(
  env: Env,
  path: string,
): Promise<'replace' | 'replace all' | 'skip' | 'skip all'> {
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
