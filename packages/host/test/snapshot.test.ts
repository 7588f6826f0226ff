import { describe, expect, it } from 'vitest';
import { restoreSnapshot, takeSnapshot } from '../src/record/snapshot.ts';

const copy = (state: unknown): unknown =>
  restoreSnapshot(JSON.parse(JSON.stringify(takeSnapshot(state))) as ReturnType<typeof takeSnapshot>);

describe('a snapshot of a state', () => {
  it('gives the same state back, with maps, sets and absent values', () => {
    const state = {
      text: 'é',
      count: 0,
      none: null,
      absent: undefined,
      list: [1, [2], {}],
      open: new Map<unknown, unknown>([
        [1, { type: 'prompt' }],
        ['1', new Set(['a', 2])],
      ]),
    };
    expect(copy(state)).toEqual(state);
  });

  it('keeps records that are shared, and circles', () => {
    const prompt = { id: 'x', self: undefined as unknown };
    prompt.self = prompt;
    const again = copy({ a: prompt, b: new Map([['x', prompt]]) }) as {
      a: { self: unknown };
      b: Map<string, unknown>;
    };
    expect(again.a).toBe(again.b.get('x'));
    expect(again.a.self).toBe(again.a);
  });

  it('takes plain values, and fields that look like its own marks', () => {
    expect(copy(7)).toBe(7);
    expect(copy(undefined)).toBeUndefined();
    const tricky = { ref: 0, list: { ref: null }, record: [['a', 1]], state: { state: 1 } };
    expect(copy(tricky)).toEqual(tricky);
    const named = JSON.parse('{"__proto__": {"a": 1}}');
    expect(Object.keys(copy(named) as object)).toEqual(['__proto__']);
  });

  it('leaves functions out', () => {
    expect(copy({ make: () => 1, keep: 2 })).toEqual({ make: undefined, keep: 2 });
  });
});
