import { describe, expect, it } from 'vitest';
import { isIgnored, parseIgnore } from '../../../src/tools/search/ignore.ts';

function ignored(text: string, path: string, isDirectory = false): boolean {
  return isIgnored([parseIgnore(text, 0)], path.split('/'), isDirectory);
}

describe('a .gitignore', () => {
  it.each([
    ['*.log', 'a.log', true],
    ['*.log', 'deep/down/a.log', true],
    ['/build', 'build', true],
    ['/build', 'sub/build', false],
    ['a/b', 'a/b', true],
    ['a/b', 'x/a/b', false],
    ['**/b', 'x/a/b', true],
    ['a/**/b', 'a/x/y/b', true],
    ['a/**', 'a/x', true],
    ['a/**', 'a', false],
    ['foo/*', 'foo/a', true],
    ['foo/*', 'foo/a/b', false],
    ['*.log\n!keep.log', 'keep.log', false],
    ['!keep.log\n*.log', 'keep.log', true],
    ['# a comment', '# a comment', false],
    ['\\#file', '#file', true],
    ['\\!file', '!file', true],
    ['trailing   ', 'trailing', true],
    ['kept\\ ', 'kept ', true],
    ['[ab].txt', 'a.txt', true],
    ['[!ab].txt', 'a.txt', false],
    ['a?c', 'abc', true],
    ['a?c', 'a/c', false],
    ['\r\n*.tmp\r\n', 'x.tmp', true],
    ['\uFEFF*.tmp', 'x.tmp', true],
    ['/', 'anything', false],
    ['!', 'anything', false],
    ['{a,b}', 'a', false],
  ])('the .gitignore %j against %s: %s', (text, path, expected) => {
    expect(ignored(text, path)).toBe(expected);
  });

  it('a .gitignore pattern with a slash at its end matches directories only', () => {
    expect(ignored('out/', 'out', true)).toBe(true);
    expect(ignored('out/', 'out', false)).toBe(false);
    expect(ignored('out/', 'deep/out', true)).toBe(true);
  });

  it('a .gitignore further down overrules the one above', () => {
    const files = [parseIgnore('*.gen\n/top', 0), parseIgnore('!special.gen\n/top', 1)];
    expect(isIgnored(files, ['sub', 'special.gen'], false)).toBe(false);
    expect(isIgnored(files, ['sub', 'other.gen'], false)).toBe(true);
    expect(isIgnored(files, ['sub', 'top'], false)).toBe(true);
    expect(isIgnored(files, ['sub', 'deep', 'top'], false)).toBe(false);
  });
});
