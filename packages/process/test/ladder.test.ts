import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLadder, type Ladder } from '../src/terminate/ladder.ts';

let steps: string[] = [];
let ladder: Ladder;

beforeEach(() => {
  vi.useFakeTimers();
  steps = [];
  const note = (what: string): void => void steps.push(`${Math.round(performance.now())} ${what}`);
  ladder = createLadder({ closeInput: () => note('input'), signal: note });
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

const rungs = (): string[] => steps.map((step) => step.split(' ')[1] ?? '');
const times = (): number[] => steps.map((step) => Number.parseInt(step, 10));

it('closes stdin, asks, and kills after the grace', () => {
  ladder.climb(100, 500);
  expect(rungs()).toEqual(['input']);
  vi.advanceTimersByTime(110);
  expect(rungs()).toEqual(['input', 'SIGTERM', 'SIGCONT']);
  vi.advanceTimersByTime(1000);
  expect(rungs()).toEqual(['input', 'SIGTERM', 'SIGCONT', 'SIGKILL']);
  const [input = 0, term = 0, , kill = 0] = times();
  expect(term - input).toBeGreaterThanOrEqual(99);
  expect(kill - term).toBeGreaterThanOrEqual(499);
  expect(ladder.killed()).toBe(true);
});

it('kills at once without a grace', () => {
  ladder.climb(0, 0);
  expect(rungs()).toEqual(['input', 'SIGKILL']);
});

it('a second call shortens the grace and never lengthens it', () => {
  ladder.climb(0, 5000);
  ladder.climb(0, 60_000);
  vi.advanceTimersByTime(1000);
  ladder.climb(0, 500);
  vi.advanceTimersByTime(600);
  expect(rungs().at(-1)).toBe('SIGKILL');
  expect(rungs().filter((rung) => rung === 'SIGTERM')).toHaveLength(1);
  ladder.climb(0, 0);
  expect(rungs().filter((rung) => rung === 'SIGKILL')).toHaveLength(1);
});

it('a grace beyond the longest timer is waited for, not skipped', () => {
  ladder.climb(0, Number.POSITIVE_INFINITY);
  vi.advanceTimersByTime(2 ** 31 + 1000);
  expect(rungs()).toEqual(['input', 'SIGTERM', 'SIGCONT']);
  ladder.release();
});

it('does nothing more once released', () => {
  ladder.climb(100, 100);
  ladder.release();
  vi.advanceTimersByTime(1000);
  ladder.climb(0, 0);
  expect(rungs()).toEqual(['input']);
});
