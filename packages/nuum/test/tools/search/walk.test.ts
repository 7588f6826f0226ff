import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type TemporaryDirectory, temporaryDirectory } from '@plugboard/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { walkFiles } from '../../../src/tools/search/walk.ts';

let place: TemporaryDirectory;
beforeEach(() => {
  place = temporaryDirectory();
});
afterEach(() => place[Symbol.dispose]());

function files(...entries: (string | readonly [string, string])[]): void {
  for (const entry of entries) {
    const [name, content] = typeof entry === 'string' ? [entry, ''] : entry;
    const path = join(place.path, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

function found(below = '', more: { hidden?: boolean; modules?: boolean } = {}): string[] {
  const root = join(place.path, below);
  const options = { root, hidden: false, modules: false, ...more };
  return [...walkFiles(options)].map((path) => relative(place.path, path)).sort();
}

it('a walk finds files in all directories, but not hidden ones, packages and .git', () => {
  files('a', 'b/c/d', '.hidden/x', '.dot', 'node_modules/p/index.js', '.git/config', 'b/node_modules/q/i.js');
  expect(found()).toEqual(['a', 'b/c/d']);
  expect(found('', { hidden: true })).toEqual(['.dot', '.hidden/x', 'a', 'b/c/d']);
  expect(found('', { modules: true })).toEqual([
    'a',
    'b/c/d',
    'b/node_modules/q/i.js',
    'node_modules/p/index.js',
  ]);
});

it('a walk respects nested .gitignore files', () => {
  files(
    ['.gitignore', '*.log\nout/\n'],
    ['sub/.gitignore', '!keep.log\n'],
    'a.log',
    'sub/keep.log',
    'sub/b.log',
    'out/x',
    'src/out',
  );
  expect(found()).toEqual(['src/out', 'sub/keep.log']);
});

it('a walk respects .gitignore files above its root, up to the repository', () => {
  files(
    '.git/HEAD',
    ['.git/info/exclude', 'secret\n'],
    ['.gitignore', '*.log\n/sub/gen\n'],
    'sub/a.log',
    'sub/gen/x',
    'sub/b',
    'sub/secret',
  );
  expect(found('sub')).toEqual(['sub/b']);
});

it('a walk enters an ignored directory that is its root', () => {
  files('.git/HEAD', ['.gitignore', 'dist/\n'], 'dist/a', 'dist/b/c', 'src/d');
  expect(found('dist')).toEqual(['dist/a', 'dist/b/c']);
  expect(found('dist/b')).toEqual(['dist/b/c']);
});

it('a walk does not follow links', () => {
  files('a/b');
  symlinkSync('..', join(place.path, 'a', 'up'));
  symlinkSync('/etc', join(place.path, 'elsewhere'));
  symlinkSync('b', join(place.path, 'a', 'link'));
  expect(found()).toEqual(['a/b']);
});

it('a walk skips FIFOs, and a .gitignore that is one', () => {
  files('a');
  execFileSync('mkfifo', [join(place.path, 'pipe'), join(place.path, '.gitignore')]);
  expect(found()).toEqual(['a']);
});

it('a walk finds the same files as git', () => {
  const rules = '*.log\n!keep.log\n/build\ndocs/**/*.tmp\n/a/*\n!/a/b\nfoo/\n**/bar/baz\n';
  files(['.gitignore', rules]);
  files(
    'x.log',
    'keep.log',
    'build',
    'sub/build',
    'docs/a/b/c.tmp',
    'docs/c.tmp',
    'a/b/x',
    'a/c/y',
    'z/foo/q',
    'foo',
  );
  files('m/bar/baz', 'm/baz', ['n/.gitignore', '*\n!*.ts\n'], 'n/a.ts', 'n/b.js');
  const git = (...args: string[]): string =>
    execFileSync('git', args, {
      cwd: place.path,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: place.path },
    });
  git('init', '-q');
  const listed = git('ls-files', '--others', '--exclude-standard').trim().split('\n');
  expect(found()).toEqual(listed.filter((name) => !name.includes('.gitignore')).sort());
});
