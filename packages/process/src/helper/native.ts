import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { kindOf } from '../lookup.ts';
import type { Program } from './link.ts';

const NAME = 'plugboard-spawn';
const SYSTEM = `${process.platform}-${process.arch}`;

/** The helper in C: as it came with the package, else compiled by this machine, once for each version of the source. */
export async function nativeProgram(cacheDirectory: string): Promise<Program> {
  const prebuilt = join(import.meta.dirname, 'prebuilt', SYSTEM, NAME);
  if ((await kindOf(prebuilt)) === 'program') return { file: prebuilt, args: [] };
  const source = join(import.meta.dirname, 'helper.c');
  const version = createHash('sha256')
    .update(await readFile(source))
    .digest('hex')
    .slice(0, 16);
  await makePrivate(cacheDirectory);
  const compiled = join(cacheDirectory, `${NAME}-${SYSTEM}-${version}`);
  if ((await kindOf(compiled)) !== 'program') await compile(source, compiled);
  return { file: compiled, args: [] };
}

/** What lies there is run as us, so nobody else may put anything there. */
async function makePrivate(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const { uid, mode } = await stat(directory);
  if (uid === process.getuid?.() && (mode & 0o022) === 0) return;
  throw new Error(
    `Others may write to ${directory}, so no spawn helper is kept there; make it yours with mode 700.`,
  );
}

/** In two steps, so that another host never sees half a program; of two that compile at once the last one stays. */
async function compile(source: string, into: string): Promise<void> {
  const draft = `${into}.${randomBytes(6).toString('hex')}`;
  try {
    await promisify(execFile)('cc', ['-O2', '-o', draft, source]);
    await rename(draft, into);
  } catch (cause) {
    await rm(draft, { force: true });
    throw new Error(
      `The spawn helper could not be compiled with cc; install a C compiler or use another kind.`,
      {
        cause,
      },
    );
  }
}
