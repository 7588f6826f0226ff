import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toOneLine } from '../../src/one-line.ts';
import { formatCsv, parseCsv } from '../../src/storydb/csv.ts';

const fields = (text: string): unknown => {
  const csv = parseCsv(text);
  return 'problem' in csv ? csv : csv.rows.map((row) => row.fields);
};
const PLAIN = { mark: false, newline: '\n' } as const;

describe('reading CSV', () => {
  it.each([
    [
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\r\n1,\r\n',
      [
        ['a', 'b'],
        ['1', ''],
      ],
    ],
    ['\uFEFFa,b\n', [['a', 'b']]],
    ['"a,""b""",c\n', [['a,"b"', 'c']]],
    ['"two\nlines",c\n', [['two\nlines', 'c']]],
    ['\n\na,b\n\n', [['a', 'b']]],
    ['a"b,c\n', [['a"b', 'c']]],
    [',\n', [['', '']]],
    ['', []],
    ['a\rb,c\n', [['a\rb', 'c']]],
  ])('reads the CSV %j', (text, expected) => expect(fields(text)).toEqual(expected));

  it('parseCsv gives the line of every row, counting lines inside quotes', () => {
    const csv = parseCsv('a,b\r\n"x\r\ny",1\r\n\r\nz,2\r\n');
    expect('rows' in csv && csv.rows.map(({ line }) => line)).toEqual([1, 2, 5]);
  });

  it('parseCsv reports the line of an unclosed quote', () => {
    expect(parseCsv('a,b\n1,2\n3,"4\n5,6\n')).toMatchObject({
      line: 3,
      problem: expect.stringContaining('never closed'),
    });
  });

  it('parseCsv reports the line of text after a closing quote', () => {
    expect(parseCsv('a,b\n"1"x,2\n')).toMatchObject({
      line: 2,
      problem: expect.stringContaining('closing quote'),
    });
  });
});

describe('writing CSV', () => {
  it('formatCsv quotes only where needed, and writes one line per row', () => {
    expect(formatCsv([['a b', 'c,d', 'e"f', 'g\r\nh', '']], PLAIN)).toBe('a b,"c,d","e""f",g h,\n');
  });

  it('parseCsv reads back the output of formatCsv, except for line breaks', () => {
    const text = fc.string({ unit: 'binary' }).filter((one) => !/[\r\n]/.test(one));
    const rows = fc.array(fc.array(text, { minLength: 2, maxLength: 4 }), { maxLength: 5 });
    fc.assert(
      fc.property(rows, (table) => {
        const [first] = table;
        fc.pre(first?.[0]?.startsWith('\uFEFF') !== true);
        expect(fields(formatCsv(table, PLAIN))).toEqual(table);
      }),
    );
  });

  it('toOneLine returns one line for every text', () => {
    expect(toOneLine('  a\r\n\tb\u2028c\u0000d\u0085e ')).toBe('a b c d e');
  });
});
