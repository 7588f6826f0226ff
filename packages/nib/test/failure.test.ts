import { describe, expect, it } from 'vitest';
import { messageOf, NibError } from '../src/failure.ts';

function systemError(code: string, path?: string): Error {
  return Object.assign(new Error(`${code}: something, open '${path}'`), { code, ...(path ? { path } : {}) });
}

describe('an error in words', () => {
  it.each([
    ['EACCES', '/book/.nib cannot be written: you have no permission to change it.'],
    ['EROFS', '/book/.nib cannot be written: its file system can only be read.'],
    ['ENOSPC', '/book/.nib cannot be written: the disk is full.'],
  ])('says of %s what is in the way', (code, words) => {
    expect(messageOf(systemError(code, '/book/.nib'))).toBe(words);
  });

  it('is left as it is when nothing better is known', () => {
    expect(messageOf(systemError('EIO', '/x'))).toBe("EIO: something, open '/x'");
    expect(messageOf(systemError('EACCES'))).toBe("EACCES: something, open 'undefined'");
    expect(messageOf(new NibError('Do this.'))).toBe('Do this.');
    expect(messageOf('thrown')).toBe('thrown');
  });
});
