import { describe, expect, it } from 'vitest';
import { describeEncodingProblem, findInvalidOffset } from '../../src/files/encoding.ts';
import { decodeAs, guessEncoding } from '../../src/files/encoding-guess.ts';

const PROSE = '“It’s a naïve café,” said Zoë — “très drôle…” He paid 5 £.\n';

/** Bytes of `PROSE` in Mac Roman. */
const MAC = Buffer.from(
  PROSE.replace(/[^\x00-\x7F]/g, (letter) => {
    for (let byte = 0x80; byte < 0x100; byte += 1)
      if (decodeAs(Buffer.from([byte]), 'mac-roman') === letter) return String.fromCharCode(byte);
    return '?';
  }),
  'latin1',
);

const WINDOWS = Buffer.from(
  PROSE.replace(/[^\x00-\x7F]/g, (letter) => {
    for (let byte = 0x80; byte < 0x100; byte += 1)
      if (decodeAs(Buffer.from([byte]), 'windows-1252') === letter) return String.fromCharCode(byte);
    return '?';
  }),
  'latin1',
);

describe('encodingProblem', () => {
  it.each([
    ['Plain.\n', undefined],
    ['Ünïcode ✒\n', undefined],
    ['One\nTwo caf\xe9\n', 'is not UTF-8 text: byte E9 in line 2'],
    ['a\0b', 'is not UTF-8 text: byte 00 in line 1'],
  ])('describeEncodingProblem reports the invalid byte of %j', (text, problem) => {
    const bytes =
      /[\x80-\xff]/.test(text) && problem !== undefined ? Buffer.from(text, 'latin1') : Buffer.from(text);
    expect(describeEncodingProblem(bytes)).toBe(problem);
  });

  it('describeEncodingProblem finds the first invalid byte at every offset', () => {
    const valid = Buffer.from('aé€😀bß✒𝄞cd');
    for (let at = 0; at <= valid.length; at += 1) {
      const isBoundary = at === valid.length || ((valid[at] ?? 0) & 0xc0) !== 0x80;
      if (!isBoundary) continue;
      const broken = Buffer.concat([valid.subarray(0, at), Buffer.from([0xff]), valid.subarray(at)]);
      expect(findInvalidOffset(broken), String(at)).toBe(at);
    }
  });
});

describe('guessEncoding', () => {
  it.each([
    ['windows-1252', WINDOWS],
    ['mac-roman', MAC],
    ['utf-16le', Buffer.from(`\uFEFF${PROSE}`, 'utf16le')],
    ['utf-16le', Buffer.from(PROSE, 'utf16le')],
    ['utf-16be', Buffer.from(`\uFEFF${PROSE}`, 'utf16le').swap16()],
    ['utf-16be', Buffer.from(PROSE, 'utf16le').swap16()],
  ])('guessEncoding recognises %s', (encoding, bytes) => {
    expect(guessEncoding(bytes)).toBe(encoding);
    expect(decodeAs(bytes, encoding)).toBe(PROSE);
  });

  it('guessEncoding returns undefined for UTF-8 with one damaged place', () => {
    const damaged = Buffer.concat([Buffer.from(PROSE), Buffer.from([0xe9])]);
    expect(guessEncoding(damaged)).toBeUndefined();
  });
});
