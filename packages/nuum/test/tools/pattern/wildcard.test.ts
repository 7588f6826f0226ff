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
  ])('the wildcard %s against %j: %s', (pattern, text, expected) => {
    expect(matchesWildcard(compileWildcard(pattern), text)).toBe(expected);
  });

  it('the time of a wildcard is at most the product of the lengths', () => {
    const started = process.threadCpuUsage();
    expect(matchesWildcard(compileWildcard(`${'*a'.repeat(40)}b`), 'a'.repeat(4000))).toBe(false);
    expect(process.threadCpuUsage(started).user / 1_000).toBeLessThan(500);
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
  ])('the path pattern %s against %s: %s', (pattern, path, expected) => {
    expect(matchesPath(compilePathPattern(pattern), segmentsOf(path))).toBe(expected);
  });

  it('the number of brace alternatives is bounded', () => {
    expect(expandBraces('{a,b}'.repeat(30))).toHaveLength(1);
  });

  it('a path pattern with many double stars is fast', () => {
    const pattern = compilePathPattern(`${'**/a/'.repeat(30)}b`);
    const started = process.threadCpuUsage();
    expect(matchesPath(pattern, segmentsOf('a/'.repeat(500)))).toBe(false);
    expect(process.threadCpuUsage(started).user / 1_000).toBeLessThan(500);
  });
});
