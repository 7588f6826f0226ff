import { describe, expect, it } from 'vitest';
import { cutSections } from '../src/shell/sections.ts';

const keyOf = (item: number): string => String(item);
const numbers = (from: number, to: number, step = 1): number[] =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, at) => from + at * step);

describe('the sections of a long list', () => {
  it('hold all items in order, some 16 each and never more than 32', () => {
    for (const step of [1, 2, 7]) {
      const items = numbers(1, 20_000, step);
      const sections = cutSections(items, keyOf);
      expect(sections.flatMap((section) => section.items)).toEqual(items);
      expect(Math.max(...sections.map((section) => section.items.length))).toBeLessThanOrEqual(32);
      expect(sections.length).toBeLessThan(items.length / 8);
      expect(new Set(sections.map(({ key }) => key)).size).toBe(sections.length);
    }
  });

  it('stay the same when items come before or after them, except for those at the seam', () => {
    const before = cutSections(numbers(401, 800), keyOf).slice(3, -1);
    const after = cutSections(numbers(1, 1_200), keyOf);
    for (const section of before) expect(after).toContainEqual(section);
  });

  it('have different keys when an item comes twice', () => {
    const keys = cutSections([...numbers(1, 100), ...numbers(1, 100)], keyOf).map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
  });
});
