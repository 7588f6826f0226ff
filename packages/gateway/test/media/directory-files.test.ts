import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@plugboard/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { createDirectoryFiles } from '../../src/media/directory-files.ts';
import { MediaUnavailableError } from '../../src/media/media-error.ts';
import { describeMediaFiles, pieces } from './contract/media-files.ts';

function newDirectory(): string {
  const home = temporaryDirectory();
  onTestFinished(() => home[Symbol.dispose]());
  return home.path;
}

describeMediaFiles(
  'a directory',
  async () => createDirectoryFiles({ directory: newDirectory(), isOwn: true }),
  9_000_000,
);

it('a named directory that is not there is not made, because its file system may not be mounted', async () => {
  const directory = join(newDirectory(), 'mount');
  const files = createDirectoryFiles({ directory, isOwn: false });
  for (const work of [() => files.put('a.bin', pieces(Buffer.from('a'))), () => files.check()])
    await expect(work()).rejects.toThrow(`There is no media directory ${directory}: mount it, make it`);
  await expect(files.check()).rejects.toThrow(MediaUnavailableError);
  expect(existsSync(directory)).toBe(false);
});
