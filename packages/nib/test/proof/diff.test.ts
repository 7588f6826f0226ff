import { describe, expect, it } from 'vitest';
import type { FileState } from '../../src/files/snapshot.ts';
import { formatChange } from '../../src/proof/diff.ts';
import type { Colours } from '../../src/terminal/colours.ts';

const PAINT: Colours = {
  added: (text) => `<+${text}>`,
  removed: (text) => `<-${text}>`,
  addedWords: (text) => `[+${text}]`,
  removedWords: (text) => `[-${text}]`,
  position: (text) => text,
  strong: (text) => text,
};

const file = (text: string): FileState => ({ kind: 'file', bytes: Buffer.from(text), mode: 0o644 });
const body = (before: FileState | undefined, after: FileState | undefined): string =>
  formatChange({ path: 'a.md', before, after }, PAINT).split('\n').slice(2).join('\n');

describe('the diff of a scene', () => {
  it('a diff marks the words by which two lines differ', () => {
    const [before, after] = ['grey', 'green'].map((colour) => file(`one\nAda had ${colour} eyes.\nthree\n`));
    expect(body(before, after)).toBe(
      [
        '@@ -1,3 +1,3 @@',
        ' one',
        '<--><-Ada had >[-grey]<- eyes.>',
        '<++><+Ada had >[+green]<+ eyes.>',
        ' three',
        '',
      ].join('\n'),
    );
  });

  it('a diff shows whole lines when the numbers of removed and added lines differ', () => {
    expect(body(file('one\ntwo\n'), file('new\n'))).toBe('@@ -1,2 +1,1 @@\n<--one>\n<--two>\n<++new>\n');
  });

  it('a diff shows added and removed files', () => {
    const text = formatChange({ path: 'a.md', before: undefined, after: file('x\n') }, PAINT);
    expect(text).toBe('--- /dev/null\n+++ b/a.md\n@@ -0,0 +1,1 @@\n<++x>\n');
    expect(formatChange({ path: 'a.md', before: file('x\n'), after: undefined }, PAINT)).toContain(
      '+++ /dev/null\n',
    );
  });

  it.each([
    ['other line ends', file('a\r\nb\r\n'), file('a\nb\n'), 'only line ends or marks differ'],
    ['bytes that are no text', file('a\n'), file('a\0\n'), 'not text'],
    ['a link', file('a\n'), { kind: 'link', target: 'b' }, 'a link to b'],
    [
      'a large file',
      { kind: 'seen', size: 1, changedAt: 2 },
      { kind: 'seen', size: 3, changedAt: 2 },
      '3 bytes',
    ],
  ] as const)('has words for %s', (_what, before, after, words) => {
    expect(body(before, after).replace(/[<[][-+]|[>\]]/g, '')).toContain(words);
  });

  it('a diff gives up on long texts without a common part', () => {
    const lines = (seed: number): string =>
      Array.from({ length: 30_000 }, (_none, at) => `line ${(at * 7919 + seed) % 100_003} ${seed}\n`).join(
        '',
      );
    const began = process.threadCpuUsage();
    body(file(lines(1)), file(lines(2)));
    expect(process.threadCpuUsage(began).user / 1_000).toBeLessThan(9_000);
  }, 20_000);
});
