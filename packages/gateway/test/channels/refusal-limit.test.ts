import { expect, it } from 'vitest';
import { createRefusalLimit } from '../../src/channels/refusal-limit.ts';

it('tells each place once a minute', () => {
  let now = 0;
  const isQuiet = createRefusalLimit({ now: () => now });
  expect([isQuiet('hall'), isQuiet('hall'), isQuiet('yard')]).toEqual([false, true, false]);
  now = 59_999;
  expect(isQuiet('hall')).toBe(true);
  now = 60_000;
  expect([isQuiet('hall'), isQuiet('hall')]).toEqual([false, true]);
});

it('forgets the places that were told longest ago beyond 10,000 of them', () => {
  const isQuiet = createRefusalLimit({ now: () => 0 });
  isQuiet('first');
  for (let count = 0; count < 10_000; count += 1) isQuiet(`place ${count}`);
  expect(isQuiet('place 9999')).toBe(true);
  expect(isQuiet('first')).toBe(false);
});
