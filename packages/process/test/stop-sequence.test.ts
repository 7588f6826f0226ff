import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createStopSequence, type StopSequence } from '../src/terminate/stop-sequence.ts';

let steps: string[] = [];
let sequence: StopSequence;

beforeEach(() => {
  vi.useFakeTimers();
  steps = [];
  const note = (step: string): void => void steps.push(`${Math.round(performance.now())} ${step}`);
  sequence = createStopSequence({ closeInput: () => note('input'), signal: note });
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

const stepNames = (): string[] => steps.map((step) => step.split(' ')[1] ?? '');
const times = (): number[] => steps.map((step) => Number.parseInt(step, 10));

it('closes stdin, sends SIGTERM, and SIGKILL after the grace', () => {
  sequence.start(100, 500);
  expect(stepNames()).toEqual(['input']);
  vi.advanceTimersByTime(110);
  expect(stepNames()).toEqual(['input', 'SIGTERM', 'SIGCONT']);
  vi.advanceTimersByTime(1000);
  expect(stepNames()).toEqual(['input', 'SIGTERM', 'SIGCONT', 'SIGKILL']);
  const [input = 0, term = 0, , kill = 0] = times();
  expect(term - input).toBeGreaterThanOrEqual(99);
  expect(kill - term).toBeGreaterThanOrEqual(499);
  expect(sequence.hasKilled()).toBe(true);
});

it('sends SIGKILL at once without a grace', () => {
  sequence.start(0, 0);
  expect(stepNames()).toEqual(['input', 'SIGKILL']);
});

it('a second call shortens the grace and never lengthens it', () => {
  sequence.start(0, 5000);
  sequence.start(0, 60_000);
  vi.advanceTimersByTime(1000);
  sequence.start(0, 500);
  vi.advanceTimersByTime(600);
  expect(stepNames().at(-1)).toBe('SIGKILL');
  expect(stepNames().filter((rung) => rung === 'SIGTERM')).toHaveLength(1);
  sequence.start(0, 0);
  expect(stepNames().filter((rung) => rung === 'SIGKILL')).toHaveLength(1);
});

it('waits for a grace beyond the longest timer', () => {
  sequence.start(0, Number.POSITIVE_INFINITY);
  vi.advanceTimersByTime(2 ** 31 + 1000);
  expect(stepNames()).toEqual(['input', 'SIGTERM', 'SIGCONT']);
  sequence.release();
});

it('sends no signal after release', () => {
  sequence.start(100, 100);
  sequence.release();
  vi.advanceTimersByTime(1000);
  sequence.start(0, 0);
  expect(stepNames()).toEqual(['input']);
});
