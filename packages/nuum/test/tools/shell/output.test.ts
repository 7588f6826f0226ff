import { expect, it } from 'vitest';
import { createOutput } from '../../../src/tools/shell/output.ts';

function written(limit: number, chunks: readonly (string | Uint8Array)[]): string {
  const output = createOutput(limit);
  for (const chunk of chunks) output.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  return output.text();
}

it('output within the limit is unchanged', () => {
  expect(written(20, ['abc', 'def', 'ghijklmnopqrst'])).toBe('abcdefghijklmnopqrst');
});

it('long output keeps its beginning and end, and counts the bytes between', () => {
  expect(written(10, ['abcdefghijklmnopqrstuvwxyz'])).toBe('abcde\n\n… (16 bytes left out) …\n\nvwxyz');
  expect(written(10, [...'abcdefghijklmnopqrstuvwxyz'])).toBe('abcde\n\n… (16 bytes left out) …\n\nvwxyz');
});

it('cut output has no partial characters', () => {
  expect(written(8, ['abcéxxxxxxxéabc'])).toBe('abc\n\n… (9 bytes left out) …\n\nabc');
});

it('a character in both halves is joined, and invalid bytes are replaced', () => {
  expect(written(6, ['abéf'])).toBe('abéf');
  expect(written(6, [Buffer.from([0x61, 0xff, 0x62])])).toBe('a\uFFFDb');
});
