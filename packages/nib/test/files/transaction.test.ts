import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryDirectory } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { commitChanges, finishInterrupted, isInterrupted } from '../../src/files/transaction.ts';

function directoryWith(files: Readonly<Record<string, string>>) {
  const directory = temporaryDirectory();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory.path, path)), { recursive: true });
    writeFileSync(join(directory.path, path), text);
  }
  return directory;
}

const journal = (phase: string, steps: readonly unknown[]): string => JSON.stringify({ phase, steps });

describe('a change', () => {
  it('a commit writes and moves files and leaves no other file behind', () => {
    using directory = directoryWith({ 'a.txt': 'old', 'b.txt': 'b' });
    const root = directory.path;
    commitChanges(root, [
      { write: 'a.txt', contents: 'new' },
      { write: 'deep/er/c.txt', contents: 'c' },
      { move: 'b.txt', to: 'trash/b.txt' },
    ]);
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('new');
    expect(readdirSync(root, { recursive: true }).sort()).toEqual(
      ['.nib', 'a.txt', 'deep', 'deep/er', 'deep/er/c.txt', 'trash', 'trash/b.txt'].sort(),
    );
  });

  it('a commit keeps the mode of a file, and a link to it', () => {
    using directory = directoryWith({ 'real/a.txt': 'old' });
    const root = directory.path;
    chmodSync(join(root, 'real/a.txt'), 0o600);
    symlinkSync('real/a.txt', join(root, 'a.txt'));
    commitChanges(root, [{ write: 'a.txt', contents: 'new' }]);
    expect(readFileSync(join(root, 'real/a.txt'), 'utf8')).toBe('new');
    expect(statSync(join(root, 'real/a.txt')).mode & 0o777).toBe(0o600);
  });

  it.each([
    [{ write: '../out.txt', contents: '' }, 'outside the project'],
    [{ move: 'a.txt', to: '/tmp/out.txt' }, 'outside the project'],
    [{ write: 'link/x.txt', contents: '' }, 'leads out of the project'],
    [{ move: 'a.txt', to: 'b.txt' }, 'is there already'],
  ])('the commit %j is refused before the first write', (change, why) => {
    using directory = directoryWith({ 'p/a.txt': 'a', 'p/b.txt': 'b', 'elsewhere/y.txt': 'y' });
    const root = join(directory.path, 'p');
    symlinkSync('../elsewhere', join(root, 'link'));
    expect(() => commitChanges(root, [{ write: 'b.txt', contents: 'changed' }, change])).toThrow(why);
    expect(readFileSync(join(root, 'b.txt'), 'utf8')).toBe('b');
    expect(isInterrupted(root)).toBe(false);
  });

  it('a commit that cannot be staged is undone', () => {
    using directory = directoryWith({ 'a.txt': 'a', '.b.txt.nib-new/x': '' });
    const root = directory.path;
    expect(() =>
      commitChanges(root, [
        { write: 'a.txt', contents: 'new' },
        { write: 'b.txt', contents: 'b' },
      ]),
    ).toThrow();
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('a');
    expect(existsSync(join(root, '.a.txt.nib-new'))).toBe(false);
  });
});

describe('a change that was cut short', () => {
  it('a commit interrupted while staging is undone, and no file of the author is deleted', () => {
    using directory = directoryWith({
      'a.txt': 'old',
      '.a.txt.nib-new': 'ne',
      'b.txt': 'b',
      '.nib/journal.json': journal('staging', [
        { from: '.a.txt.nib-new', to: 'a.txt', staged: true },
        { from: 'b.txt', to: 'c.txt', staged: false },
      ]),
    });
    finishInterrupted(directory.path);
    expect(readdirSync(directory.path).sort()).toEqual(['.nib', 'a.txt', 'b.txt']);
    expect(readFileSync(join(directory.path, 'a.txt'), 'utf8')).toBe('old');
    expect(isInterrupted(directory.path)).toBe(false);
  });

  it('a commit interrupted while renaming is finished', () => {
    using directory = directoryWith({
      'a.txt': 'new already',
      'b.txt': 'old',
      '.b.txt.nib-new': 'new',
      '.nib/journal.json': journal('renaming', [
        { from: '.a.txt.nib-new', to: 'a.txt', staged: true },
        { from: '.b.txt.nib-new', to: 'b.txt', staged: true },
      ]),
    });
    finishInterrupted(directory.path);
    expect(readFileSync(join(directory.path, 'a.txt'), 'utf8')).toBe('new already');
    expect(readFileSync(join(directory.path, 'b.txt'), 'utf8')).toBe('new');
    expect(readdirSync(directory.path).sort()).toEqual(['.nib', 'a.txt', 'b.txt']);
  });

  it.each([
    ['{', 'is damaged'],
    [journal('dancing', []), 'is damaged'],
    [journal('staging', [{ from: 'book.yaml', to: 'x', staged: true }]), 'is damaged'],
    [journal('renaming', [{ from: '../../etc/x', to: 'y', staged: false }]), 'outside the project'],
  ])('a commit with the journal %s is reported and not touched', (text, why) => {
    using directory = directoryWith({ 'book.yaml': 'precious', '.nib/journal.json': text });
    expect(() => finishInterrupted(directory.path)).toThrow(why);
    expect(readFileSync(join(directory.path, 'book.yaml'), 'utf8')).toBe('precious');
  });
});
