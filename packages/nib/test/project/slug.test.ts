import { describe, expect, it } from 'vitest';
import { isStrictSlug, slugFromName, slugify, slugProblem } from '../../src/project/slug.ts';

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
  ])('%j gives %j', (title, slug) => expect(slugify(title)).toBe(slug));

  it('fits a file name however long the title is', () => {
    for (const letter of ['x', '章', '𝒳'])
      expect(Buffer.byteLength(slugify(letter.repeat(900)))).toBeLessThanOrEqual(200);
  });

  it('is the same when it is made again', () => {
    for (const title of ['Über Straße', 'Глава й', 'हिन्दी में'])
      expect(slugify(slugify(title))).toBe(slugify(title));
  });
});

describe('a slug from a name', () => {
  it.each([
    ['sub/b', 'sub/b'],
    ['Either/Or', 'either-or'],
    ['../etc', 'etc'],
    ['/etc', 'etc'],
    ['a/', 'a'],
  ])('%j gives %j', (name, slug) => expect(slugFromName(name)).toBe(slug));
});

describe('a slug', () => {
  it('names a character when it is plain', () => {
    expect(['ada', 'ada-byron', '007'].every(isStrictSlug)).toBe(true);
    expect(['', 'Ada', 'a--b', '-a', 'a-', 'ä', '../a', 'a b', 'a\n'].some(isStrictSlug)).toBe(false);
  });

  it('names a scene unless it would leave its directory', () => {
    expect(['a', 'A b', 'a.md', '.a', '章', 'a..b', 'sub/b', 'a/b.c/d'].map(slugProblem)).toEqual(
      Array(8).fill(undefined),
    );
    expect(
      ['', ' ', '.', '..', '/a', 'a/', 'a//b', '../a', 'a/../../b', 'a/.', '\\a', 'a\0', 'x'.repeat(300)].map(
        slugProblem,
      ),
    ).not.toContain(undefined);
  });
});
