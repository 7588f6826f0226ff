import { describe, expect, it } from 'vitest';
import { distilLimits } from '../../../src/memory/distil/limits.ts';
import { isDue, isEnough, nextMerge, nextStretch, type Outline } from '../../../src/memory/distil/plan.ts';

const said = (number: number, shown = 10): Outline => ({ number, kind: 'user', shown, callNumber: null });
const call = (number: number, shown = 10): Outline => ({ number, kind: 'call', shown, callNumber: null });
const result = (number: number, callNumber: number, shown = 10): Outline => ({
  number,
  kind: 'result',
  shown,
  callNumber,
});

describe('a run', () => {
  it.each([
    [99, false],
    [100, false],
    [101, true],
  ])('a run with %i tokens in view and a trigger at 100 is due: %s', (inView, due) => {
    expect(isDue({ tokens: inView, messages: 3 }, { trigger: 100, messages: 400 })).toBe(due);
  });
});

describe('the next stretch', () => {
  const messages = [1, 2, 3, 4, 5, 6].map((number) => said(number));

  it('the next stretch takes as many messages as fit, from the oldest', () => {
    expect(nextStretch(messages, 99, { stretch: 30, messages: 400 })).toEqual({ from: 1, to: 3, tokens: 30 });
    expect(nextStretch(messages, 99, { stretch: 29, messages: 400 })).toEqual({ from: 1, to: 2, tokens: 20 });
  });

  it('the next stretch leaves out the last messages', () => {
    expect(nextStretch(messages, 3, { stretch: 100, messages: 400 })).toMatchObject({ to: 2 });
    expect(nextStretch(messages, 1, { stretch: 100, messages: 400 })).toBeUndefined();
    expect(nextStretch([], 1, { stretch: 100, messages: 400 })).toBeUndefined();
  });

  it('the next stretch takes a message that is too large by itself', () => {
    expect(nextStretch([said(1, 500), said(2)], 99, { stretch: 30, messages: 400 })).toMatchObject({
      to: 1,
      tokens: 500,
    });
  });

  it('the next stretch ends before calls whose results do not fit, or after these when they come first', () => {
    const step = [said(1), call(2), call(3), result(4, 3), result(5, 2), said(6)];
    for (const stretch of [10, 20, 30, 40, 49])
      expect(nextStretch(step, 99, { stretch, messages: 400 })).toMatchObject({ to: 1 });
    expect(nextStretch(step, 99, { stretch: 50, messages: 400 })).toMatchObject({ to: 5 });
    expect(nextStretch(step.slice(1), 99, { stretch: 10, messages: 400 })).toMatchObject({ from: 2, to: 5 });
    expect(nextStretch(step.slice(1), 5, { stretch: 10, messages: 400 })).toBeUndefined();
  });

  it('the next stretch waits for the result of a running call, not for one that was cut off', () => {
    expect(
      nextStretch([said(1), call(2), call(3), result(4, 2)], 99, { stretch: 100, messages: 400 }),
    ).toMatchObject({
      to: 1,
    });
    expect(nextStretch([said(1), call(2), said(3)], 99, { stretch: 100, messages: 400 })).toMatchObject({
      to: 1,
    });
    const answered: Outline = { number: 4, kind: 'assistant', shown: 10, callNumber: null };
    expect(
      nextStretch([said(1), call(2), said(3), answered], 99, { stretch: 100, messages: 400 }),
    ).toMatchObject({ to: 4 });
    expect(
      nextStretch([call(1), said(2), call(3), result(4, 3)], 99, { stretch: 100, messages: 400 }),
    ).toMatchObject({
      to: 4,
    });
  });
});

it.each([
  [[], undefined],
  [[3], undefined],
  [[0, 0], { start: 0, length: 2 }],
  [[0, 0, 0, 0, 0], { start: 0, length: 4 }],
  [[1, 1, 0, 0, 0, 0], { start: 2, length: 4 }],
  [[1, 1, 1, 1, 0], { start: 0, length: 4 }],
  [[2, 1, 0], { start: 0, length: 2 }],
])('of summaries of the levels %j merges %j', (levels, expected) =>
  expect(nextMerge(levels)).toEqual(expected),
);

it.each([2_000, 10_000, 40_000, 400_000])(
  'leaves room for messages beside the summaries with a trigger at %i',
  (trigger) => {
    const { target, summaries, summary, stretch } = distilLimits({ trigger });
    expect(summaries).toBeLessThan(target);
    expect(summary).toBeLessThan(stretch / 2);
    expect(target).toBeLessThan(trigger);
    expect(distilLimits({ trigger, target: 1 }).target).toBe(1);
  },
);

describe('many short messages', () => {
  const limits = { trigger: 1_000, target: 500, stretch: 1_000, messages: 10 };

  it('a run is due for too many short messages, and ends at half of them', () => {
    expect(isDue({ tokens: 20, messages: 10 }, limits)).toBe(false);
    expect(isDue({ tokens: 20, messages: 11 }, limits)).toBe(true);
    expect(isEnough({ tokens: 20, messages: 6 }, limits)).toBe(false);
    expect(isEnough({ tokens: 20, messages: 5 }, limits)).toBe(true);
  });

  it('short messages are distilled by their number', () => {
    const open = Array.from({ length: 20 }, (_, index) => said(index + 1, 1));
    expect(nextStretch(open, 99, limits)).toEqual({ from: 1, to: 5, tokens: 5 });
  });
});
