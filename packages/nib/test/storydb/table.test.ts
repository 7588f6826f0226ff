import { describe, expect, it } from 'vitest';
import { formatTable, parseTable } from '../../src/storydb/table.ts';

const HEADER = 'scene,character,role,indexed_at';
const parse = (text: string) => parseTable('scene_characters', text, 'storydb/scene_characters.csv');

describe('a table', () => {
  it('a table is written as it was read: extra columns, their order, line ends and mark', () => {
    for (const text of [
      `${HEADER}\na,ada,pov,t\n`,
      `\uFEFFnote,${HEADER}\r\n"x, y",a,ada,pov,t\r\n`,
      'role,scene,indexed_at,character,__proto__\npov,a,t,ada,odd\n',
    ]) {
      expect(formatTable(parse(text))).toBe(text);
    }
  });

  it('a table is read by column names', () => {
    expect(parse('role,scene,indexed_at,character\npov,a,t,ada\n').rows).toEqual([
      { role: 'pov', scene: 'a', indexed_at: 't', character: 'ada' },
    ]);
  });

  it('a table of an empty file has no rows', () => expect(parse('').rows).toEqual([]));

  it.each([
    [`${HEADER}\na,ada,pov,t\nb,ada\n`, ':3:', 'has 2 fields where the header has 4'],
    [`${HEADER}\na,ada,pov,t,x\n`, ':2:', 'has 5 fields'],
    [`${HEADER}\na,"ada,pov,t\n`, ':2:', 'never closed'],
    ['scene,role,indexed_at\n', ':1:', 'no column character'],
    [`${HEADER},role\n`, ':1:', 'the column role twice'],
  ])('the table %j is refused with its file and line', (text, line, why) => {
    expect(() => parse(text)).toThrow(`storydb/scene_characters.csv${line}`);
    expect(() => parse(text)).toThrow(why);
  });
});
