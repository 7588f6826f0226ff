import { expect, it } from 'vitest';
import { canonical, readConfig } from '../../../src/tools/mcp/config.ts';
import { offeredName } from '../../../src/tools/mcp/names.ts';

it('makes the same text of the same configuration', () => {
  expect(canonical({ a: 1, b: { c: [1, 2], d: null } })).toBe(canonical({ b: { d: null, c: [1, 2] }, a: 1 }));
  expect(canonical({ a: [1, 2] })).not.toBe(canonical({ a: [2, 1] }));
  expect(canonical({ a: undefined })).toBe(canonical({}));
  expect(canonical({ a: '1' })).not.toBe(canonical({ a: 1 }));
});

it.each([
  [{ command: 'x', args: [1] }, '`args.0`'],
  [{ command: 'x', env: { A: 1 } }, '`env.A`'],
  [{ command: '' }, 'must not be empty'],
  [{ command: 'x\0' }, 'zero byte'],
  [{ command: 'x', timeout: -1 }, '`timeout`'],
  [{ url: 'nonsense' }, 'http or https'],
  [{ url: 'https://x', transport: 'carrier pigeon' }, '`transport`'],
  [{ url: 'http://user:pass@example.com/' }, 'only sent over https'],
  [null, 'must be an object'],
])('says what is wrong with %j', (entry, problem) => {
  const read = readConfig(entry);
  expect(read.ok ? '' : read.problem).toContain(problem);
});

it('takes what it does not know', () => {
  expect(readConfig({ url: 'https://x/', maxRetries: 3 }).ok).toBe(true);
});

it('keeps names apart that would fall together', () => {
  const first = offeredName('a', 'b__c', new Set());
  const second = offeredName('a__b', 'c', new Set([first]));
  expect(first).toBe('a__b__c');
  expect(second).not.toBe(first);
});
