import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { getStagedPath, writeAtomic } from '../../src/files/atomic-write.ts';
import { getReplacementsPath } from '../../src/files/journal.ts';
import { finishReplacement, getAsidePath, replaceFile } from '../../src/files/replace-file.ts';
import { finishInterrupted, isInterrupted } from '../../src/files/transaction.ts';

const [OLD, NEW] = [Buffer.from('old'), Buffer.from('new')];

function place(text?: string) {
  const directory = temporaryDirectory();
  const file = join(directory.path, 'scene.md');
  if (text !== undefined) writeFileSync(file, text, { mode: 0o640 });
  return {
    file,
    names: () => readdirSync(directory.path),
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

it('writeAtomic does not write through a link in the place of its next version', () => {
  using here = place('old');
  using other = place('theirs');
  symlinkSync(other.file, getStagedPath(here.file));
  writeAtomic(here.file, 'new');
  expect(readFileSync(here.file, 'utf8')).toBe('new');
  expect(readFileSync(other.file, 'utf8')).toBe('theirs');
});

describe('replaceFile', () => {
  it('replaceFile replaces a file with the expected bytes, and keeps its mode', () => {
    using here = place('old');
    expect(replaceFile(here.file, OLD, NEW)).toBe(true);
    expect(readFileSync(here.file, 'utf8')).toBe('new');
    expect(statSync(here.file).mode & 0o777).toBe(0o640);
    expect(here.names()).toEqual(['scene.md']);
  });

  it.each([
    ['was saved meanwhile', 'saved', OLD, NEW, 'saved'],
    ['was removed meanwhile', undefined, OLD, NEW, undefined],
    ['was created meanwhile', 'saved', undefined, NEW, 'saved'],
    ['was saved before it could be removed', 'saved', OLD, undefined, 'saved'],
  ])('replaceFile does not change a file that %s', (_what, found, expected, next, left) => {
    using here = place(found);
    expect(replaceFile(here.file, expected, next)).toBe(false);
    expect(existsSync(here.file) ? readFileSync(here.file, 'utf8') : undefined).toBe(left);
    expect(here.names()).toEqual(left === undefined ? [] : ['scene.md']);
  });

  it('replaceFile creates and removes files', () => {
    using here = place();
    expect(replaceFile(here.file, undefined, NEW)).toBe(true);
    expect(readFileSync(here.file, 'utf8')).toBe('new');
    expect(replaceFile(here.file, NEW, undefined)).toBe(true);
    expect(here.names()).toEqual([]);
  });
});

describe('finishReplacement', () => {
  it('finishReplacement restores the file that a crash left aside', () => {
    using here = place('old');
    renameSync(here.file, getAsidePath(here.file));
    finishReplacement(here.file);
    expect(readFileSync(here.file, 'utf8')).toBe('old');
    expect(here.names()).toEqual(['scene.md']);
  });

  it('finishReplacement keeps a file that was saved since the crash', () => {
    using here = place('old');
    renameSync(here.file, getAsidePath(here.file));
    appendFileSync(here.file, 'saved');
    finishReplacement(here.file);
    expect(readFileSync(here.file, 'utf8')).toBe('saved');
    expect(here.names()).toEqual(['scene.md']);
  });

  it('the next nib calls finishReplacement after a crash in replaceFile', () => {
    using directory = temporaryDirectory();
    const file = join(directory.path, 'scene.md');
    writeFileSync(getAsidePath(file), 'old');
    expect(isInterrupted(directory.path)).toBe(false);
    writeFileSync(join(directory.path, 'book.yaml'), '');
    mkdirSync(join(directory.path, '.nib'));
    writeFileSync(getReplacementsPath(directory.path), '["scene.md"]');
    expect(isInterrupted(directory.path)).toBe(true);
    finishInterrupted(directory.path);
    expect(readFileSync(file, 'utf8')).toBe('old');
    expect(isInterrupted(directory.path)).toBe(false);
  });
});
