import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readFileKind } from '../program-lookup.ts';
import type { HelperCommand } from './helper-process.ts';

const NAME = 'plugboard-spawn';
const SYSTEM = `${process.platform}-${process.arch}`;

/** Finds the C helper: prebuilt in the package, else compiled with `cc` once for each version of `helper.c`. */
export async function findNativeHelper(cacheDirectory: string): Promise<HelperCommand> {
  const prebuilt = join(import.meta.dirname, 'prebuilt', SYSTEM, NAME);
  if ((await readFileKind(prebuilt)) === 'program') return { file: prebuilt, args: [] };
  const source = join(import.meta.dirname, 'helper.c');
  const version = createHash('sha256')
    .update(await readFile(source))
    .digest('hex')
    .slice(0, 16);
  await makePrivate(cacheDirectory);
  const compiled = join(cacheDirectory, `${NAME}-${SYSTEM}-${version}`);
  if ((await readFileKind(compiled)) !== 'program') await compileHelper(source, compiled);
  return { file: compiled, args: [] };
}

/** Files in this directory are executed as our user, so other users must not be able to write to it. */
async function makePrivate(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const { uid, mode } = await stat(directory);
  if (uid === process.getuid?.() && (mode & 0o022) === 0) return;
  throw new Error(
    `Others may write to ${directory}, so no spawn helper is kept there; make it yours with mode 700.`,
  );
}

/**
 * Compiles into a draft and renames it, so that another host never executes a half-written file. If two hosts compile
 * at once, the later rename wins.
 */
async function compileHelper(source: string, into: string): Promise<void> {
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
