import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createCrashes } from '../src/prewarm/crashes.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('waits longer after each early death and gives up at the third', () => {
  const crashes = createCrashes();
  const pauses = [10, 10].map((age) => {
    crashes.record(age);
    return Math.round(crashes.pauseMs);
  });
  expect(pauses).toEqual([100, 200]);
  expect(crashes.tooMany).toBe(false);
  crashes.record(10);
  expect(crashes.tooMany).toBe(true);
  expect(Math.round(crashes.pauseMs)).toBe(60_000);
});

it('a program that leaves after a while is no crash', () => {
  const crashes = createCrashes();
  for (const age of [10, 10, 60_000, 10, 10]) crashes.record(age);
  expect(crashes.tooMany).toBe(false);
});

it('starts from nothing when it is told to forget', () => {
  const crashes = createCrashes();
  for (const age of [10, 10, 10]) crashes.record(age);
  crashes.forget();
  expect([crashes.tooMany, crashes.pauseMs]).toEqual([false, 0]);
});
