import { describe, expect, it } from 'vitest';
import { formatTimestamp } from '../../src/storydb/timestamp.ts';
import { createUlids } from '../../src/storydb/ulid.ts';

describe('ids', () => {
  it('ids begin with the time', () => {
    expect(createUlids(() => 1_469_918_176_385)().slice(0, 10)).toBe('01ARYZ6S41');
    expect(
      createUlids(
        () => 0,
        () => new Uint8Array(10),
      )(),
    ).toBe('0'.repeat(26));
  });

  it('ids always grow: within a millisecond, and when the clock goes back', () => {
    const times = [5, 5, 5, 4, 1, 6];
    const next = createUlids(() => times.shift() ?? 6);
    const ids = Array.from({ length: 50 }, next);
    expect(ids).toEqual([...ids].sort());
    expect(new Set(ids).size).toBe(50);
    for (const id of ids) expect(id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
  });

  it('ids carry over into the time when the random part is full', () => {
    const next = createUlids(
      () => 1,
      () => new Uint8Array(10).fill(255),
    );
    const [first, second] = [next(), next()];
    expect(second > first).toBe(true);
  });
});

describe('a stamp', () => {
  it('a timestamp is UTC in whole seconds', () =>
    expect(formatTimestamp(1_767_323_045_999)).toBe('2026-01-02T03:04:05Z'));
});
