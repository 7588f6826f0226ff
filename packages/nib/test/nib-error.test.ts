import { describe, expect, it } from 'vitest';
import { formatError, NibError } from '../src/nib-error.ts';

function systemError(code: string, path?: string): Error {
  return Object.assign(new Error(`${code}: something, open '${path}'`), { code, ...(path ? { path } : {}) });
}

describe('an error in words', () => {
  it.each([
    ['EACCES', '/book/.nib cannot be written: you have no permission to change it.'],
    ['EROFS', '/book/.nib cannot be written: its file system can only be read.'],
    ['ENOSPC', '/book/.nib cannot be written: the disk is full.'],
  ])('formatError explains %s', (code, words) => {
    expect(formatError(systemError(code, '/book/.nib'))).toBe(words);
  });

  it('formatError keeps other messages', () => {
    expect(formatError(systemError('EIO', '/x'))).toBe("EIO: something, open '/x'");
    expect(formatError(systemError('EACCES'))).toBe("EACCES: something, open 'undefined'");
    expect(formatError(new NibError('Do this.'))).toBe('Do this.');
    expect(formatError('thrown')).toBe('thrown');
  });
});
