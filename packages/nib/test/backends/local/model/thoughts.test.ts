import { describe, expect, it } from 'vitest';
import { createThoughtFilter } from '../../../../src/backends/local/model/thoughts.ts';

function shown(text: string, size: number): string {
  const filter = createThoughtFilter();
  let out = '';
  for (let at = 0; at < text.length; at += size) out += filter.push(text.slice(at, at + size));
  return out + filter.end();
}

describe.each([1, 2, 3, 7, 1000])('an answer that comes in pieces of %i', (size) => {
  it.each([
    ['Ada.', 'Ada.'],
    ['<think>who</think>\n\nAda.', 'Ada.'],
    ['  <thinking>a < b</thinking>Ada', 'Ada'],
    ['one <think>x</think>two', 'one two'],
    ['a < b, <thin ice>', 'a < b, <thin ice>'],
    ['<think>never ends', ''],
    ['ends with <thi', 'ends with <thi'],
  ])('the streamed answer %j is shown as %j', (text, expected) => {
    expect(shown(text, size)).toBe(expected);
  });
});
