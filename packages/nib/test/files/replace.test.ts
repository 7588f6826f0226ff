import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { replacementsFile } from '../../src/files/journal.ts';
import { finishReplacement, replaceFile, setAsideName } from '../../src/files/replace.ts';
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

describe('replaceFile', () => {
  it('replaces a file that is as expected, and keeps its mode', () => {
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
  ])('leaves a file alone that %s', (_what, found, expected, next, left) => {
    using here = place(found);
    expect(replaceFile(here.file, expected, next)).toBe(false);
    expect(existsSync(here.file) ? readFileSync(here.file, 'utf8') : undefined).toBe(left);
    expect(here.names()).toEqual(left === undefined ? [] : ['scene.md']);
  });

  it('creates and removes files', () => {
    using here = place();
    expect(replaceFile(here.file, undefined, NEW)).toBe(true);
    expect(readFileSync(here.file, 'utf8')).toBe('new');
    expect(replaceFile(here.file, NEW, undefined)).toBe(true);
    expect(here.names()).toEqual([]);
  });
});

describe('finishReplacement', () => {
  it('returns the file that a crash left aside to its name', () => {
    using here = place('old');
    renameSync(here.file, setAsideName(here.file));
    finishReplacement(here.file);
    expect(readFileSync(here.file, 'utf8')).toBe('old');
    expect(here.names()).toEqual(['scene.md']);
  });

  it('leaves the file that was saved since the crash', () => {
    using here = place('old');
    renameSync(here.file, setAsideName(here.file));
    appendFileSync(here.file, 'saved');
    finishReplacement(here.file);
    expect(readFileSync(here.file, 'utf8')).toBe('saved');
    expect(here.names()).toEqual(['scene.md']);
  });

  it('is done by the next nib in a project whose nib died while it replaced a scene', () => {
    using directory = temporaryDirectory();
    const file = join(directory.path, 'scene.md');
    writeFileSync(setAsideName(file), 'old');
    expect(isInterrupted(directory.path)).toBe(false);
    writeFileSync(join(directory.path, 'book.yaml'), '');
    mkdirSync(join(directory.path, '.nib'));
    writeFileSync(replacementsFile(directory.path), '["scene.md"]');
    expect(isInterrupted(directory.path)).toBe(true);
    finishInterrupted(directory.path);
    expect(readFileSync(file, 'utf8')).toBe('old');
    expect(isInterrupted(directory.path)).toBe(false);
  });
});
