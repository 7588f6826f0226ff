import { expect, it } from 'vitest';
import { createOutput } from '../../../src/tools/shell/output.ts';

function written(limit: number, chunks: readonly (string | Uint8Array)[]): string {
  const output = createOutput(limit);
  for (const chunk of chunks) output.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  return output.text();
}

it('gives back what fits as it came', () => {
  expect(written(20, ['abc', 'def', 'ghijklmnopqrst'])).toBe('abcdefghijklmnopqrst');
});

it('keeps the beginning and the end, and counts what it leaves out', () => {
  expect(written(10, ['abcdefghijklmnopqrstuvwxyz'])).toBe('abcde\n\n… (16 bytes left out) …\n\nvwxyz');
  expect(written(10, [...'abcdefghijklmnopqrstuvwxyz'])).toBe('abcde\n\n… (16 bytes left out) …\n\nvwxyz');
});

it('does not cut characters in half', () => {
  expect(written(8, ['abcéxxxxxxxéabc'])).toBe('abc\n\n… (9 bytes left out) …\n\nabc');
});

it('joins a character that lies across both halves, and replaces broken ones', () => {
  expect(written(6, ['abéf'])).toBe('abéf');
  expect(written(6, [Buffer.from([0x61, 0xff, 0x62])])).toBe('a\uFFFDb');
});
