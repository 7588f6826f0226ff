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
    ['in a fence of four', '````\n```\n{"a":1}\n````', { a: 1 }],
    ['in a fence that is closed by a shorter one', '`````json\n{"a":1,\n"b":2}\n```\n', { a: 1, b: 2 }],
    ['after a fence that is never closed', '````\n~~~\n{"a":1}\n~~~', { a: 1 }],
    ['in the later of two fences', '```sh\nls\n```\n```json\n{"a":1}\n``` so', { a: 1 }],
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
    const started = process.threadCpuUsage();
    expect(jsonInText('{'.repeat(300_000))).toBeUndefined();
    expect(jsonInText('[{"'.repeat(100_000))).toBeUndefined();
    expect(process.threadCpuUsage(started).user / 1_000).toBeLessThan(3_000);
  });

  it.each([
    ['a long row of marks', '`'.repeat(200_000)],
    ['rows of marks', '```\n'.repeat(100_001)],
    ['rows that get shorter', Array.from({ length: 700 }, (_, at) => '~'.repeat(900 - at)).join('\n')],
    ['two kinds of rows', '```\n~~~\n'.repeat(50_001)],
    ['long rows before short ones', `${'`'.repeat(100_000)}\n${'~~~ \n'.repeat(50_001)}`],
    ['white space', `\n${' \t'.repeat(200_000)}`],
  ])('is looked for in time that grows with the text: %s', (_what, text) => {
    const started = process.threadCpuUsage();
    expect(jsonInText(text)).toBeUndefined();
    expect(process.threadCpuUsage(started).user / 1_000).toBeLessThan(500);
  });
});

describe('thoughts', () => {
  it.each([
    ['a<think>b</think>c', 'ac'],
    ['<thinking>b</thinking>c', 'c'],
    ['b</think>c', 'c'],
    ['a < b', 'a < b'],
    ['a<think>b', 'a<think>b'],
    ['<think>a<thinking>b</thinking>c', '<think>ac'],
    ['<think>a<think>b</think>c</think>d', 'd'],
    ['<thinking>a</think>b</thinking>c', 'c'],
    ['a<think></think>b<think>c</think>d', 'abd'],
  ])('of %j leave %j', (text, rest) => {
    expect(withoutThoughts(text)).toBe(rest);
  });

  it.each(['<think>', '<think><thinking>', '</think', '<thinking></think>', 'x'])(
    'are looked for in time that grows with the text: %s many times',
    (part) => {
      const started = process.threadCpuUsage();
      withoutThoughts(part.repeat(100_000));
      expect(process.threadCpuUsage(started).user / 1_000).toBeLessThan(500);
    },
  );
});
