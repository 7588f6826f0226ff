import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AlarmTimer, createAlarmTimer } from '../../src/tasks/alarm-timer.ts';
import { type AlarmStore, createAlarmStore } from '../../src/tasks/alarms.ts';
import { opened } from '../memory/opened.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

// Only what waits is in the hands of the test: the clock on the wall is handed in, and goes its own way.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
const undo: (() => void)[] = [];
afterEach(() => {
  for (const step of undo.splice(0).reverse()) step();
  vi.useRealTimers();
});

interface Ticking {
  readonly timer: AlarmTimer;
  readonly store: AlarmStore;
  readonly clock: { now: number };
  /** The notes of what rang, in order. */
  readonly rang: string[];
  readonly told: string[];
  set(note: string, inMs: number): void;
  /** Lets time pass as it does on a machine that is awake, a second at a time. */
  pass(ms: number): void;
}

function ticking(): Ticking {
  const open = opened();
  const { memory, clock } = open;
  const now = (): number => clock.now;
  const store = createAlarmStore(memory.connection, now);
  const rang: string[] = [];
  const told: string[] = [];
  const ring = (alarms: readonly { note: string }[]): void =>
    void rang.push(...alarms.map(({ note }) => note));
  const timer = createAlarmTimer({ store, now, ring, log: (text) => void told.push(text) });
  undo.push(() => {
    timer.stop();
    open[Symbol.dispose]();
  });
  return {
    ...{ timer, store, clock, rang, told },
    set(note, inMs) {
      store.add({ id: note, note, firesAt: clock.now + inMs, every: undefined });
      timer.schedule();
    },
    pass(ms) {
      for (let passed = 0; passed < ms; passed += 1000) {
        clock.now += 1000;
        vi.advanceTimersByTime(1000);
      }
    },
  };
}

describe('a clock that is set, or a machine that slept', () => {
  it('an alarm rings within half a minute of a jump of the clock', () => {
    const { set, clock, rang, pass } = ticking();
    set('tea', HOUR);
    pass(60_000);
    expect(rang).toEqual([]);
    clock.now += HOUR;
    pass(30_000);
    expect(rang).toEqual(['tea']);
    pass(HOUR);
    expect(rang).toEqual(['tea']);
  });

  it('alarms that became due during sleep ring together, the oldest first', () => {
    const { set, clock, rang, pass } = ticking();
    set('second', 2 * HOUR);
    set('first', HOUR);
    set('not yet', 3 * DAY);
    clock.now += DAY;
    pass(30_000);
    expect(rang).toEqual(['first', 'second']);
  });

  it('an alarm does not ring early when the clock goes back', () => {
    const { set, clock, rang, pass } = ticking();
    set('tea', 20_000);
    clock.now -= HOUR;
    pass(HOUR);
    expect(rang).toEqual([]);
    pass(20_000);
    expect(rang).toEqual(['tea']);
  });

  it('an alarm whose turn failed before a jump of the clock rings again', () => {
    const { set, clock, rang, pass, timer } = ticking();
    set('tea', 0);
    expect(rang).toEqual(['tea']);
    timer.settle(['tea'], 'failed');
    clock.now += DAY;
    pass(30_000);
    expect(rang).toEqual(['tea', 'tea']);
  });
});

describe('an alarm', () => {
  it('an alarm in a year does not ring at once, though timers are shorter', () => {
    const { set, rang, pass } = ticking();
    set('far away', 365 * DAY);
    pass(120_000);
    expect(rang).toEqual([]);
  });

  it('an alarm rings to the second when the clock does not jump', () => {
    const { set, rang, pass } = ticking();
    set('tea', 95_000);
    pass(94_000);
    expect(rang).toEqual([]);
    pass(1000);
    expect(rang).toEqual(['tea']);
  });

  it('no timer runs without an alarm, nor after stop', () => {
    const { timer, set, clock, rang } = ticking();
    timer.schedule();
    expect(vi.getTimerCount()).toBe(0);
    set('tea', 1000);
    timer.stop();
    clock.now += HOUR;
    vi.advanceTimersByTime(HOUR);
    expect(rang).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('alarms that cannot be read are read again after half a minute', () => {
    const { set, store, clock, rang, told, pass, timer } = ticking();
    set('tea', 1000);
    const { pending } = store;
    Object.assign(store, {
      pending: () => {
        throw new Error('busy');
      },
    });
    timer.schedule();
    expect(told).toEqual(['The alarms could not be read: busy']);
    Object.assign(store, { pending });
    clock.now += HOUR;
    pass(29_000);
    expect(rang).toEqual([]);
    pass(1000);
    expect(rang).toEqual(['tea']);
  });
});
