import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestEnd, temporaryDirectory } from '@plugboard/testkit';
import { expect, it } from 'vitest';

const PROGRAMS = join(import.meta.dirname, 'programs');

/** Opens `path` over and over while two names change places; gives what was read. */
async function openWhileSwapped(
  path: string,
  root: string,
  one: string,
  other: string,
): Promise<{ opened: number; read: string[] }> {
  const swapper = spawn(process.execPath, [join(PROGRAMS, 'swapper.ts'), one, other]);
  onTestEnd(() => void swapper.kill('SIGKILL'));
  await new Promise((resolve) => swapper.stdout.once('data', resolve));
  const { stdout } = await promisify(execFile)(process.execPath, [join(PROGRAMS, 'opener.ts'), path, root], {
    timeout: 20_000,
    killSignal: 'SIGKILL',
  });
  return JSON.parse(stdout) as { opened: number; read: string[] };
}

it.concurrent('a folder that changes places with a link to somewhere else leads to no file there', async () => {
  using directory = temporaryDirectory();
  const root = join(directory.path, 'root');
  const outside = join(directory.path, 'outside');
  for (const folder of [join(root, 'folder'), outside]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(root, 'folder', 'x.png'), 'inside');
  writeFileSync(join(outside, 'x.png'), 'secret');
  symlinkSync(outside, join(root, 'link'));
  const { opened, read } = await openWhileSwapped(
    join(root, 'folder', 'x.png'),
    root,
    join(root, 'folder'),
    join(root, 'link'),
  );
  expect(opened).toBeGreaterThan(10);
  expect(read).toEqual(['inside']);
});

it.concurrent('a file that changes places with a named pipe does not stop the host', async () => {
  using directory = temporaryDirectory();
  const root = directory.path;
  writeFileSync(join(root, 'x.png'), 'inside');
  execFileSync('mkfifo', [join(root, 'pipe')]);
  const { opened, read } = await openWhileSwapped(
    join(root, 'x.png'),
    root,
    join(root, 'x.png'),
    join(root, 'pipe'),
  );
  expect(opened).toBeGreaterThan(10);
  expect(read).toEqual(['inside']);
});
