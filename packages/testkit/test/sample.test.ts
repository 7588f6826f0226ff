import { sample } from '@plugboard/testkit';
import { expect, it } from 'vitest';

const ITEMS = ['a', 'b', 'c', 'd', 'e'];
const SEEDS = Array.from({ length: 200 }, (_none, seed) => seed);

it('sample draws at least one item by every seed: Vitest fails a suite without tests', () => {
  for (const seed of SEEDS) expect(sample(ITEMS, 4, seed).length).toBeGreaterThan(0);
  expect(sample([], 4)).toEqual([]);
});

it('sample draws about one of so many items, the same by the same seed', () => {
  const drawn = SEEDS.map((seed) => sample(ITEMS, 4, seed));
  expect(drawn.flat().length / (SEEDS.length * ITEMS.length)).toBeCloseTo(0.25, 1);
  expect(new Set(drawn.flat())).toEqual(new Set(ITEMS));
  expect(SEEDS.map((seed) => sample(ITEMS, 4, seed))).toEqual(drawn);
});
