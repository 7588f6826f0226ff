import { describe, expect, it } from 'vitest';
import { detectMedia, kindOf } from '../src/model/media.ts';

const EXTENSIONS = {
  image: ['jpg', 'jpeg', 'png', 'gif', 'webp'],
  video: ['mp4', 'mov', 'avi', 'mkv', 'webm'],
  audio: ['mp3', 'ogg', 'm4a', 'wav', 'flac'],
  file: ['pdf', 'py', 'constructor', '__proto__', 'toString'],
};
const CASES = Object.entries(EXTENSIONS).flatMap(([kind, all]) => all.map((one) => [one, kind] as const));

describe('the kind of a file', () => {
  it.each(CASES)('that ends in .%s is %s', (extension, kind) => {
    expect(kindOf(`/tmp/a.b/x.${extension}`)).toBe(kind);
    expect(kindOf(`/tmp/X.${extension.toUpperCase()}`)).toBe(kind);
  });

  it.each(['', 'png', '/tmp/x.png/y', '/tmp/x.', '.'])('of %j is that of any other', (name) => {
    expect(kindOf(name)).toBe('file');
  });
});

describe('media in running text', () => {
  const paths = (text: string): unknown => detectMedia(text).map(({ path }) => path);

  it('is found once, however many slashes stand in front of its path', () => {
    expect(paths('See /p/x.png, or file:///p/x.png.')).toEqual(['/p/x.png']);
  });

  it('is not an address on the web', () => {
    expect(paths('See http://host/etc/x.png')).toEqual([]);
  });

  it('is every absolute path that ends as media do, and no other', () => {
    const known = CASES.slice(0, 16).map(([extension]) => `/tmp/x.${extension}`);
    expect(paths(`${known.join(' ')} /tmp/x.py tmp/x.png ./x.png /tmp/x.constructor /tmp/png`)).toEqual(
      known,
    );
  });

  it('may be followed by any row of marks', () => {
    expect(paths('(/a.png)... "/b.pdf"?! /c.mp3.,;:!? `/d.gif`')).toEqual([
      '/a.png',
      '/b.pdf',
      '/c.mp3',
      '/d.gif',
    ]);
  });

  it.each([
    ['marks before a letter', `/${'.'.repeat(200_000)}x`],
    ['marks', `/x${'.,;:!?'.repeat(40_000)}`],
    ['slashes', '/'.repeat(200_000)],
    ['colons', ':/'.repeat(100_000)],
    ['brackets', '(/a.'.repeat(60_000)],
    ['dots and slashes', '/.'.repeat(100_000)],
    ['short paths', ' /a.png'.repeat(40_000)],
  ])('is looked for in time that grows with the text: %s', (_what, text) => {
    const started = process.threadCpuUsage();
    detectMedia(text);
    expect(process.threadCpuUsage(started).user / 1_000).toBeLessThan(500);
  });
});
