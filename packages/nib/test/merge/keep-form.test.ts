import { describe, expect, it } from 'vitest';
import type { FileState } from '../../src/files/snapshot.ts';
import { keepForms } from '../../src/merge/keep-form.ts';
import { mergeFile } from '../../src/merge/merge-file.ts';

const MARK = '\uFEFF';

const stateOf = (text: string): FileState => ({ kind: 'file', bytes: Buffer.from(text), mode: 0o644 });

function merge(before: string, after: string, now = before): string {
  const [change = { before: stateOf(before), after: stateOf(before) }] = keepForms([
    { path: 'scene.md', before: stateOf(before), after: stateOf(after) },
  ]);
  const { next } = mergeFile(change, stateOf(now));
  return next?.kind === 'file' ? next.bytes.toString('utf8') : '';
}

describe('the bytes around the words of a scene', () => {
  it.each([
    ['CRLF', 'One.\r\n\r\nTwo.\r\n', 'One.\n\nThree.\n', 'One.\r\n\r\nThree.\r\n'],
    ['LF', 'One.\n\nTwo.\n', 'One.\r\n\r\nThree.\r\n', 'One.\n\nThree.\n'],
    ['a byte order mark', `${MARK}One.\n`, 'Two.\n', `${MARK}Two.\n`],
    ['both', `${MARK}One.\r\n`, 'Two.\n', `${MARK}Two.\r\n`],
  ])('%s stays when the backend has written the file anew', (_what, before, after, kept) => {
    expect(merge(before, after)).toBe(kept);
  });

  it('a backend that changes nothing else changes nothing', () => {
    const text = `${MARK}One.\r\n\r\nTwo.\r\n`;
    const change = { path: 'scene.md', before: stateOf(text), after: stateOf('One.\n\nTwo.\n') };
    expect(keepForms([change])).toEqual([]);
  });

  it('line ends of both kinds are those of the backend', () => {
    expect(merge('One.\r\nTwo.\n', 'One.\r\nThree.\n')).toBe('One.\r\nThree.\n');
    expect(merge('One.\r\nTwo.\n', 'One.\nThree.\n')).toBe('One.\nThree.\n');
  });

  it('a byte order mark stays in a merge with what the author saved meanwhile', () => {
    const merged = merge(`${MARK}One.\n\nTwo.\n`, 'Uno.\n\nTwo.\n', `${MARK}One.\n\nTwo.\n\nThree.\n`);
    expect(merged).toBe(`${MARK}Uno.\n\nTwo.\n\nThree.\n`);
  });
});
