import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Clock, createClock, type Due } from '../src/run/clock.ts';

let done: string[] = [];
let clock: Clock;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  done = [];
  clock = createClock();
});
afterEach(() => {
  clock.close();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

/** Something due so long from now. */
function dueIn(ms: number, name: string): Due {
  const due = { at: performance.now() + ms, act: () => void done.push(name) };
  clock.add(due);
  return due;
}

it('does what is due when it is due, whatever came first', () => {
  dueIn(300, 'late');
  dueIn(100, 'soon');
  vi.advanceTimersByTime(99);
  expect(done).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(done).toEqual(['soon']);
  vi.advanceTimersByTime(200);
  expect(done).toEqual(['soon', 'late']);
});

it('does nothing that was removed, and waits for what was put off', () => {
  const removed = dueIn(100, 'removed');
  const moved = dueIn(100, 'moved');
  clock.remove(removed);
  moved.at += 50;
  vi.advanceTimersByTime(149);
  expect(done).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(done).toEqual(['moved']);
});

it('sets no second timer for a turn after one that has ended, and is in time for it', () => {
  clock.remove(dueIn(1_000, 'first'));
  vi.advanceTimersByTime(600);
  dueIn(1_000, 'second');
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(999);
  expect(done).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(done).toEqual(['second']);
  expect(vi.getTimerCount()).toBe(0);
});

it('waits for months, which no timer of Node does', () => {
  const months = 90 * 24 * 3_600_000;
  dueIn(months, 'months');
  vi.advanceTimersByTime(months - 1);
  expect(done).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(done).toEqual(['months']);
});

it('does all that is due at once, also when one of them removes another or adds one', () => {
  const other: Due = dueIn(100, 'never');
  clock.remove(other);
  clock.add({
    at: performance.now() + 100,
    act() {
      clock.remove(other);
      dueIn(10, 'added');
    },
  });
  clock.add(other);
  dueIn(100, 'third');
  vi.advanceTimersByTime(100);
  expect(done).toEqual(['third']);
  vi.advanceTimersByTime(10);
  expect(done).toEqual(['third', 'added']);
});
