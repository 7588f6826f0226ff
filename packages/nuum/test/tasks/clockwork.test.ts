import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AlarmStore, createAlarmStore } from '../../src/tasks/alarms.ts';
import { type Clockwork, createClockwork } from '../../src/tasks/clockwork.ts';
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
  readonly clockwork: Clockwork;
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
  const clockwork = createClockwork({ store, now, ring, log: (text) => void told.push(text) });
  undo.push(() => {
    clockwork.stop();
    open[Symbol.dispose]();
  });
  return {
    ...{ clockwork, store, clock, rang, told },
    set(note, inMs) {
      store.add({ id: note, note, firesAt: clock.now + inMs, every: undefined });
      clockwork.wind();
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
  it('lets an alarm ring within half a minute of the jump', () => {
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

  it('lets all ring together that were due meanwhile, the oldest first', () => {
    const { set, clock, rang, pass } = ticking();
    set('second', 2 * HOUR);
    set('first', HOUR);
    set('not yet', 3 * DAY);
    clock.now += DAY;
    pass(30_000);
    expect(rang).toEqual(['first', 'second']);
  });

  it('that went back does not let an alarm ring before its time', () => {
    const { set, clock, rang, pass } = ticking();
    set('tea', 20_000);
    clock.now -= HOUR;
    pass(HOUR);
    expect(rang).toEqual([]);
    pass(20_000);
    expect(rang).toEqual(['tea']);
  });

  it('lets an alarm ring again whose turn had failed before the jump', () => {
    const { set, clock, rang, pass, clockwork } = ticking();
    set('tea', 0);
    expect(rang).toEqual(['tea']);
    clockwork.settle(['tea'], 'failed');
    clock.now += DAY;
    pass(30_000);
    expect(rang).toEqual(['tea', 'tea']);
  });
});

describe('an alarm', () => {
  it('in a year does not ring at once, though no timer waits that long', () => {
    const { set, rang, pass } = ticking();
    set('far away', 365 * DAY);
    pass(120_000);
    expect(rang).toEqual([]);
  });

  it('rings to the second when nothing jumps', () => {
    const { set, rang, pass } = ticking();
    set('tea', 95_000);
    pass(94_000);
    expect(rang).toEqual([]);
    pass(1000);
    expect(rang).toEqual(['tea']);
  });

  it('is not looked for when there is none, nor after the end', () => {
    const { clockwork, set, clock, rang } = ticking();
    clockwork.wind();
    expect(vi.getTimerCount()).toBe(0);
    set('tea', 1000);
    clockwork.stop();
    clock.now += HOUR;
    vi.advanceTimersByTime(HOUR);
    expect(rang).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('that cannot be read is looked for again after half a minute', () => {
    const { set, store, clock, rang, told, pass, clockwork } = ticking();
    set('tea', 1000);
    const { pending } = store;
    Object.assign(store, {
      pending: () => {
        throw new Error('busy');
      },
    });
    clockwork.wind();
    expect(told).toEqual(['The alarms could not be read: busy']);
    Object.assign(store, { pending });
    clock.now += HOUR;
    pass(29_000);
    expect(rang).toEqual([]);
    pass(1000);
    expect(rang).toEqual(['tea']);
  });
});
