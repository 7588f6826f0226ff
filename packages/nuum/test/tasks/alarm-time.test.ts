import { describe, expect, it } from 'vitest';
import { nextRing, readWhen } from '../../src/tasks/alarm-time.ts';
import { addDuration, readDuration } from '../../src/tasks/duration.ts';

const NOW = new Date(2026, 10, 15, 12, 0, 0).getTime();
const HOUR = 3_600_000;

describe('a length of time', () => {
  it.each([
    ['90s', { days: 0, ms: 90_000 }],
    ['1h30m', { days: 0, ms: 5_400_000 }],
    ['1.5 hours', { days: 0, ms: 5_400_000 }],
    ['2 days', { days: 2, ms: 0 }],
    ['1 week 2 days', { days: 9, ms: 0 }],
    ['0s', { days: 0, ms: 0 }],
    ['0.5 days', { days: 0, ms: 12 * HOUR }],
    ['1 hour, 5 minutes', { days: 0, ms: 3_900_000 }],
  ])('the duration %s is read', (text, expected) => expect(readDuration(text)).toEqual(expected));

  it.each(['', 'soon', '5', 'm5', '5 fortnights', '1h later', '-5m', '99999 weeks'])(
    'the duration %j is refused',
    (text) => {
      expect(readDuration(text)).toBeUndefined();
    },
  );

  it('a duration of days keeps the time of day', () => {
    const later = new Date(addDuration(NOW, { days: 200, ms: 0 }));
    expect([later.getHours(), later.getMinutes()]).toEqual([12, 0]);
  });
});

describe('a time', () => {
  it.each([
    [{ in: '10m' }, NOW + 600_000],
    [{ in: '0s' }, NOW],
    [{ at: '13:30' }, NOW + 1.5 * HOUR],
    [{ at: '11:00' }, NOW + 23 * HOUR],
    [{ at: new Date(NOW + HOUR).toISOString() }, NOW + HOUR],
    [{ every: '2h' }, NOW + 2 * HOUR],
  ])('the time %j is read', (input, firesAt) =>
    expect(readWhen(input, NOW)).toMatchObject({ ok: true, firesAt }),
  );

  it.each([
    [{}, 'either `in`'],
    [{ in: '1m', at: '13:00' }, 'either `in`'],
    [{ in: 'later' }, '`in` must be a length of time'],
    [{ at: '25:00' }, '`at` must be a time'],
    [{ at: 'teatime' }, '`at` must be a time'],
    [{ at: '2001-01-01T00:00:00Z' }, 'which is past'],
    [{ in: '1m', every: '1s' }, '10 s or more'],
  ])('the time %j is refused with a reason', (input, problem) => {
    expect(readWhen(input, NOW)).toMatchObject({ ok: false, problem: expect.stringContaining(problem) });
  });
});

describe('an alarm that repeats', () => {
  it('a repeated alarm rings at its interval', () =>
    expect(nextRing(NOW, '1h', NOW + 1_000)).toBe(NOW + HOUR));

  it('a repeated alarm skips missed times', () => {
    expect(nextRing(NOW, '1h', NOW + 100.5 * HOUR)).toBe(NOW + 101 * HOUR);
    expect(nextRing(NOW - 3_650 * 24 * HOUR, '10s', NOW)).toBeGreaterThan(NOW);
  });

  it('a repeated alarm keeps its time of day across a change to daylight saving time', () => {
    const saved = process.env.TZ;
    process.env.TZ = 'Europe/Berlin';
    try {
      const evening = new Date(2026, 9, 24, 9, 0).getTime();
      const next = nextRing(evening, '1 day', evening + 1);
      expect(next - evening).toBe(25 * HOUR);
      expect(new Date(next).getHours()).toBe(9);
    } finally {
      if (saved === undefined) delete process.env.TZ;
      else process.env.TZ = saved;
    }
  });
});
