import { describe, expect, it } from 'vitest';
import { describeSlugProblem, isStrictSlug, parseSlug, toSlug } from '../../src/project/slug.ts';

describe('a slug from a title', () => {
  it.each([
    ['The Lamp Goes Out', 'the-lamp-goes-out'],
    ['  Ça  commence… ', 'ca-commence'],
    ['Über Straße', 'uber-strasse'],
    ["It's O’Brien's", 'its-obriens'],
    ['Łódź, Ærø & Þór', 'lodz-aero-thor'],
    ['第一章 始まり', '第一章-始まり'],
    ['Глава й', 'глава-й'],
    ['../../etc/passwd', 'etc-passwd'],
    ['a\nb\0c', 'a-b-c'],
    ['…!?', ''],
    ['Room 101', 'room-101'],
  ])('the title %j gives the slug %j', (title, slug) => expect(toSlug(title)).toBe(slug));

  it('a slug from a long title fits a file name', () => {
    for (const letter of ['x', '章', '𝒳'])
      expect(Buffer.byteLength(toSlug(letter.repeat(900)))).toBeLessThanOrEqual(200);
  });

  it('toSlug is idempotent', () => {
    for (const title of ['Über Straße', 'Глава й', 'हिन्दी में'])
      expect(toSlug(toSlug(title))).toBe(toSlug(title));
  });
});

describe('a slug from a name', () => {
  it.each([
    ['sub/b', 'sub/b'],
    ['Either/Or', 'either-or'],
    ['../etc', 'etc'],
    ['/etc', 'etc'],
    ['a/', 'a'],
  ])('the name %j gives the slug %j', (name, slug) => expect(parseSlug(name)).toBe(slug));
});

describe('a slug', () => {
  it('isStrictSlug accepts plain slugs only', () => {
    expect(['ada', 'ada-byron', '007'].every(isStrictSlug)).toBe(true);
    expect(['', 'Ada', 'a--b', '-a', 'a-', 'ä', '../a', 'a b', 'a\n'].some(isStrictSlug)).toBe(false);
  });

  it('describeSlugProblem refuses slugs that leave their directory', () => {
    expect(['a', 'A b', 'a.md', '.a', '章', 'a..b', 'sub/b', 'a/b.c/d'].map(describeSlugProblem)).toEqual(
      Array(8).fill(undefined),
    );
    expect(
      ['', ' ', '.', '..', '/a', 'a/', 'a//b', '../a', 'a/../../b', 'a/.', '\\a', 'a\0', 'x'.repeat(300)].map(
        describeSlugProblem,
      ),
    ).not.toContain(undefined);
  });
});
