import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createCrashBackoff } from '../src/prewarm/crash-backoff.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('the pause grows after each early death, and the third is too many', () => {
  const backoff = createCrashBackoff();
  const pauses = [10, 10].map((age) => {
    backoff.record(age);
    return Math.round(backoff.pauseMs);
  });
  expect(pauses).toEqual([100, 200]);
  expect(backoff.tooMany).toBe(false);
  backoff.record(10);
  expect(backoff.tooMany).toBe(true);
  expect(Math.round(backoff.pauseMs)).toBe(60_000);
});

it('an exit after a minute is not counted as a crash', () => {
  const backoff = createCrashBackoff();
  for (const age of [10, 10, 60_000, 10, 10]) backoff.record(age);
  expect(backoff.tooMany).toBe(false);
});

it('reset forgets all crashes', () => {
  const backoff = createCrashBackoff();
  for (const age of [10, 10, 10]) backoff.record(age);
  backoff.reset();
  expect([backoff.tooMany, backoff.pauseMs]).toEqual([false, 0]);
});
