import { describe, expect, it } from 'vitest';
import { jsonInText, withoutThoughts } from '../src/framing/json-in-text.ts';

describe('JSON in an answer', () => {
  it.each([
    ['as it is', '{"a":1}', { a: 1 }],
    ['as a list', ' [1, 2]\n', [1, 2]],
    ['in a fence', 'Here:\n```json\n{"a":1}\n```\nDone.', { a: 1 }],
    ['in a fence without a name', '```\n{"a":{"b":"```"}}\n```', { a: { b: '```' } }],
    ['in the longer of two fences', '```\n{"a":0}\n```\nBetter:\n```\n{"a":1,"b":2}\n```', { a: 1, b: 2 }],
    ['in a fence of tildes', '~~~json\n{"a":1}\n~~~', { a: 1 }],
    ['after a thought', '<think>{"a":0}</think>{"a":1}', { a: 1 }],
    ['after a thought whose beginning is missing', 'hm {"a":0}</think>\n{"a":1}', { a: 1 }],
    ['between words', 'I found [1] and this: {"a":"} {"} which is all {ha}.', { a: '} {' }],
    ['after a bracket that never closes', 'so { and then {"a":1}', { a: 1 }],
    ['beside a shorter one', 'For example {"a":0}. So: {"a":[1,2,3]}', { a: [1, 2, 3] }],
    ['as a list between words', 'These: ["x","y"].', ['x', 'y']],
  ])('is found %s', (_how, text, expected) => {
    expect(jsonInText(text)).toEqual(expected);
  });

  it.each(['', 'No.', '7', '"text"', 'null', '{"a":', '{a: 1}', '<think>{"a":1}</think>', '{"a":1'])(
    'is not found in %j',
    (text) => {
      expect(jsonInText(text)).toBeUndefined();
    },
  );

  it('is looked for in bounded time', () => {
    const started = performance.now();
    expect(jsonInText('{'.repeat(300_000))).toBeUndefined();
    expect(jsonInText('[{"'.repeat(100_000))).toBeUndefined();
    expect(performance.now() - started).toBeLessThan(3_000);
  });
});

describe('thoughts', () => {
  it.each([
    ['a<think>b</think>c', 'ac'],
    ['<thinking>b</thinking>c', 'c'],
    ['b</think>c', 'c'],
    ['a < b', 'a < b'],
  ])('of %j leave %j', (text, rest) => {
    expect(withoutThoughts(text)).toBe(rest);
  });
});
