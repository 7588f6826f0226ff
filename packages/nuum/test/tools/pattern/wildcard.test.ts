import { describe, expect, it } from 'vitest';
import {
  compilePathPattern,
  expandBraces,
  matchesPath,
  segmentsOf,
} from '../../../src/tools/pattern/path-pattern.ts';
import { compileWildcard, matchesWildcard } from '../../../src/tools/pattern/wildcard.ts';

describe('a wildcard', () => {
  it.each([
    ['*', '', true],
    ['a*c', 'abbbc', true],
    ['a*c', 'abbbd', false],
    ['a?c', 'abc', true],
    ['?', '😀', true],
    ['[a-c]x', 'bx', true],
    ['[!a-c]x', 'bx', false],
    ['[]]', ']', true],
    ['[a', '[a', true],
    ['\\*', '*', true],
    ['\\*', 'x', false],
    ['*.test.*', 'a.test.ts', true],
  ])('%s against %j: %s', (pattern, text, expected) => {
    expect(matchesWildcard(compileWildcard(pattern), text)).toBe(expected);
  });

  it('takes no more than the product of the lengths, whatever the pattern', () => {
    const started = performance.now();
    expect(matchesWildcard(compileWildcard(`${'*a'.repeat(40)}b`), 'a'.repeat(4000))).toBe(false);
    expect(performance.now() - started).toBeLessThan(500);
  });
});

describe('a path pattern', () => {
  it.each([
    ['**/*.ts', 'a.ts', true],
    ['**/*.ts', 'a/b/c.ts', true],
    ['*.ts', 'a/b.ts', false],
    ['src/**', 'src/a/b', true],
    ['src/**', 'other/src/a', false],
    ['a/**/b', 'a/b', true],
    ['a/**/b', 'a/x/y/b', true],
    ['a/**/b/**/c', 'a/b/b/x/c', true],
    ['src/*.{js,ts}', 'src/a.ts', true],
    ['src/*.{js,ts}', 'src/a.css', false],
    ['{a,b{c,d}}/x', 'bd/x', true],
    ['{a}', '{a}', true],
  ])('%s against %s: %s', (pattern, path, expected) => {
    expect(matchesPath(compilePathPattern(pattern), segmentsOf(path))).toBe(expected);
  });

  it('does not expand braces without end', () => {
    expect(expandBraces('{a,b}'.repeat(30))).toHaveLength(1);
  });

  it('is fast on many double stars', () => {
    const pattern = compilePathPattern(`${'**/a/'.repeat(30)}b`);
    const started = performance.now();
    expect(matchesPath(pattern, segmentsOf('a/'.repeat(500)))).toBe(false);
    expect(performance.now() - started).toBeLessThan(500);
  });
});
