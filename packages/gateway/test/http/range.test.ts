import { expect, it } from 'vitest';
import { readRange } from '../../src/http/send-file.ts';

it.each([
  [undefined, 'all'],
  ['bytes=0-0', { start: 0, end: 0 }],
  ['bytes=2-', { start: 2, end: 9 }],
  ['bytes=-3', { start: 7, end: 9 }],
  ['bytes=-99', { start: 0, end: 9 }],
  ['bytes=5-99', { start: 5, end: 9 }],
  ['bytes=10-', 'none'],
  ['bytes=-0', 'none'],
  ['bytes=5-2', 'all'],
  ['bytes=0-1,3-4', 'all'],
  ['bytes=-', 'all'],
  ['lines=0-1', 'all'],
  ['bytes=x-y', 'all'],
] as const)('reads %s of ten bytes as %j', (header, wanted) => {
  expect(readRange(header, 10)).toEqual(wanted);
});
