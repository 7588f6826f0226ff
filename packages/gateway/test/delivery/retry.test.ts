import { expect, it } from 'vitest';
import { addJitter, retryDelay } from '../../src/delivery/retry.ts';

it('waits twice as long each time, up to five minutes, and never quite as long as others', () => {
  const longest = [1, 2, 3, 4, 20].map((attempts) => retryDelay(attempts, () => 1));
  expect(longest).toEqual([1_000, 2_000, 4_000, 8_000, 300_000]);
  expect(retryDelay(3, () => 0)).toBe(2_000);
});

it('waits no less than the platform says, and little more', () => {
  expect([addJitter(5_000, () => 0), addJitter(5_000, () => 1), addJitter(60_000, () => 1)]).toEqual([
    5_000, 5_500, 61_000,
  ]);
});
