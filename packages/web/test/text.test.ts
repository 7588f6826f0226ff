import { describe, expect, it } from 'vitest';
import { suggestCommands } from '../src/chat/commands.ts';
import { hashOf, type Route, readCode, readRoute } from '../src/state/route.ts';
import { decodeBytes, sizeText } from '../src/text/bytes.ts';
import { dayGroup, formatCountdown, formatDuration, formatOrdinal } from '../src/text/time.ts';
import { markInvisible, visibleLines } from '../src/text/visible.ts';

describe('what cannot be seen', () => {
  it.each([
    ['a\u202Etxt.exe', 'a⟨U+202E⟩txt.exe'],
    ['\u0000\u0007\u001b[0m\u007f', '⟨NUL⟩⟨BEL⟩⟨ESC⟩[0m⟨DEL⟩'],
    ['two\nlines\t', 'two⟨LF⟩lines⟨TAB⟩'],
    ['zero\u200bwidth\ufeff', 'zero⟨U+200B⟩width⟨U+FEFF⟩'],
    ['👩‍💻 Zoë 東京', '👩‍💻 Zoë 東京'],
  ])('is made visible in a name: %j', (text, shown) => expect(markInvisible(text)).toBe(shown));

  it('is made visible in lines, which stay lines', () => {
    expect(visibleLines('a\r\n\tb\u2067\rc')).toBe('a\n\tb⟨U+2067⟩⟨CR⟩c');
  });
});

describe('the address', () => {
  const routes: Route[] = [
    { at: 'home' },
    { at: 'session', id: 'a/b#c?d' },
    { at: 'inspect', id: 'x', turnId: null },
    { at: 'inspect', id: 'x', turnId: 't/1' },
  ];
  it.each(routes)('of %j leads back to it', (route) => expect(readRoute(hashOf(route))).toEqual(route));

  it.each(['', '#', '#/', '#/x/1', '#/s/', '#/s/%E0%A4%A', '#?server=https://evil.example'])(
    '%j is home',
    (hash) => {
      expect(readRoute(hash)).toEqual({ at: 'home' });
    },
  );

  it('gives a login code, alone and of harmless letters', () => {
    expect(readCode('#code=abc-DEF_1.2~3')).toBe('abc-DEF_1.2~3');
    for (const hash of ['#code=', '#code=a&server=b', '#/code=a', '#code=a/b', '#token=a', '']) {
      expect(readCode(hash)).toBeNull();
    }
  });
});

describe('bytes', () => {
  const shown = (...bytes: number[]): string => decodeBytes(Buffer.from(bytes).toString('base64'));

  it('are text where they are UTF-8 and numbers where not', () => {
    expect(shown(0x61, 0xff, 0xc3, 0xa4, 0xc3, 0x62, 0xf0, 0x9f)).toBe('a⟨FF⟩ä⟨C3⟩b⟨F0⟩⟨9F⟩');
    expect(shown(0xef, 0xbb, 0xbf, 0x61)).toBe('\ufeffa');
  });

  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1500, '1.5 KB'],
    [25_000_000, '25 MB'],
  ])('%d have a size', (bytes, text) => expect(sizeText(bytes)).toBe(text));
});

describe('time', () => {
  it.each([
    [0, '0 ms'],
    [0.4, '< 1 ms'],
    [340, '340 ms'],
    [4210, '4.2 s'],
    [187_000, '3:07'],
    [7_387_000, '2:03:07'],
  ])('%d ms take %s', (ms, text) => expect(formatDuration(ms)).toBe(text));

  it('is counted in whole seconds', () =>
    expect([formatCountdown(4400), formatCountdown(-5)]).toEqual(['0:04', '0:00']));

  it('puts sessions under their day', () => {
    const now = new Date(2026, 2, 10, 9).getTime();
    const at = (day: number, hour: number): string => dayGroup(new Date(2026, 2, day, hour).getTime(), now);
    expect([at(10, 1), at(9, 23), at(5, 12), at(1, 12)]).toEqual([
      'Today',
      'Yesterday',
      'Earlier this week',
      'Earlier',
    ]);
  });

  it.each([
    [1, '1st'],
    [2, '2nd'],
    [3, '3rd'],
    [4, '4th'],
    [11, '11th'],
    [13, '13th'],
    [22, '22nd'],
    [111, '111th'],
  ])('%d is %s', (value, text) => expect(formatOrdinal(value)).toBe(text));
});

describe('commands', () => {
  it('are suggested while the first word is written', () => {
    expect(suggestCommands('/').map(({ name }) => name)).toEqual([
      '/stop',
      '/new',
      '/status',
      '/agent',
      '/set',
      '/help',
    ]);
    expect(suggestCommands('/st').map(({ name }) => name)).toEqual(['/stop', '/status']);
  });

  it.each(['', 'a /', '/agent x', '/etc/passwd', '/ ', '\n/'])('are not suggested for %j', (text) => {
    expect(suggestCommands(text)).toEqual([]);
  });
});
