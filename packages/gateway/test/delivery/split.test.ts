import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { headOf, splitText } from '../../src/delivery/split.ts';
import { fencesOf } from '../../src/delivery/text/fences.ts';
import type { Measure } from '../../src/delivery/text/measure.ts';
import { splitPieces } from '../../src/delivery/text/pieces.ts';

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

const MEASURES: Record<string, Measure> = {
  'UTF-16 units': (text) => text.length,
  bytes: (text) => Buffer.byteLength(text),
  'code points': (text) => [...text].length,
  characters: (text) => [...segmenter.segment(text)].length,
};

/** Texts out of what is hard to cut: emoji, joined ones, flags, marks, line breaks of both kinds, fences. */
const words = fc.constantFrom(
  ...[
    'a',
    'word',
    'Longer than that.',
    ' ',
    '  ',
    '\n',
    '\r\n',
    '\n\n',
    '\t',
    '。',
    '!',
    '漢字かな',
    'ไทย',
    'नमस्ते',
  ],
  ...[
    '👩‍👩‍👧‍👦',
    '🇦🇹',
    '🇩',
    '👍🏽',
    '🙂',
    'e\u0301',
    '\u0301',
    'Z\u0351\u0352\u0353\u0354',
    '\u200d',
    '\u0600',
    '\u00a0',
    '한국',
  ],
  ...[
    '```\n',
    '```ts\n',
    '\n```\n',
    '\n  ```js\n',
    '\n  ```\n',
    '~~~~\n',
    '\n~~~~\n',
    '```',
    '`code`',
    '\n- one\n  - two',
  ],
);
const texts = fc.array(fc.oneof({ weight: 9, arbitrary: words }, fc.string({ unit: 'binary' })), {
  maxLength: 60,
});
const cases = fc.record({
  text: texts.map((parts) => parts.join('').toWellFormed()),
  longest: fc.integer({ min: 1, max: 80 }),
  measure: fc.constantFrom(...Object.values(MEASURES)),
});

describe('splitText', () => {
  it('gives parts that fit, unless one code point does not, and none that is empty', () => {
    fc.assert(
      fc.property(cases, ({ text, longest, measure }) => {
        for (const part of splitText(text, longest, measure)) {
          expect(part.trim()).not.toBe('');
          if (measure(part) > longest) expect([...part]).toHaveLength(1);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('leaves out nothing but white space, and adds nothing but fences', () => {
    fc.assert(
      fc.property(cases, ({ text, longest, measure }) => {
        let at = 0;
        const repairs = new Set(['', ...fencesOf(text).flatMap(({ open, close }) => [open, close])]);
        for (const { start, end, open, close } of splitPieces(text, longest, measure)) {
          expect(start).toBeGreaterThanOrEqual(at);
          expect(text.slice(at, start).trim()).toBe('');
          expect(repairs.has(open) && repairs.has(close)).toBe(true);
          at = end;
        }
        expect(text.slice(at).trim()).toBe('');
      }),
      { numRuns: 2_000 },
    );
  });

  it('cuts no character that people see as one, unless it alone is longer than the limit', () => {
    fc.assert(
      fc.property(cases, ({ text, longest, measure }) => {
        const graphemes = [...segmenter.segment(text)];
        const starts = new Set([0, text.length, ...graphemes.map(({ index }) => index)]);
        const within = (index: number): string =>
          graphemes.findLast((grapheme) => grapheme.index < index)?.segment ?? '';
        for (const { start, end } of splitPieces(text, longest, measure)) {
          for (const index of [start, end]) {
            if (!starts.has(index)) expect(measure(within(index))).toBeGreaterThan(longest);
          }
        }
        for (const part of splitText(text, longest, measure)) expect(part.isWellFormed()).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('leaves every part with its blocks of code closed, where there is room for fences', () => {
    const blocks = fc.array(
      words.filter((word) => !/[`~]/.test(word)),
      { maxLength: 80 },
    );
    const fence = fc.constantFrom('```', '~~~', '````');
    fc.assert(
      fc.property(blocks, fence, fc.integer({ min: 40, max: 90 }), (body, marks, longest) => {
        const text = `before\n\n${marks}ts\n${body.join('').toWellFormed()}\n${marks}\nafter`;
        for (const part of splitText(text, longest)) {
          const last = fencesOf(part).at(-1);
          expect(last === undefined || last.codeEnd < last.end).toBe(true);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['paragraphs before lines', 'one two three\n\nfour\nfive', 20, ['one two three', 'four\nfive']],
    ['lines before sentences', 'One. Two\nthree. four', 18, ['One. Two', 'three. four']],
    ['sentences before words', 'It is one. It is two', 17, ['It is one.', 'It is two']],
    ['words before letters', 'seven letters', 10, ['seven', 'letters']],
    ['within a word when nothing else is left', 'abcdefghij', 4, ['abcd', 'efgh', 'ij']],
    ['but keeps how far a line is indented', '- one\n  - two', 9, ['- one', '  - two']],
    ['and whole families together', '👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 15, ['👩‍👩‍👧‍👦', '👩‍👩‍👧‍👦']],
    ['nothing that fits', ' as it is \n', 20, [' as it is \n']],
    ['nothing out of nothing', ' \n ', 20, []],
  ])('cuts %s', (_what, text, longest, parts) => {
    expect(splitText(text, longest)).toEqual(parts);
  });

  it('closes a block of code and opens it again with its info string', () => {
    const code = ['one()', 'two()', 'three()', 'four()'].join('\n');
    expect(splitText(`Look:\n\n\`\`\`ts title="a"\n${code}\n\`\`\`\nDone.`, 44)).toEqual([
      'Look:\n\n```ts title="a"\none()\ntwo()\n```',
      '```ts title="a"\nthree()\nfour()\n```\nDone.',
    ]);
    expect(splitText('- a\n  ~~~~js\n  one()\n  two()\n  three()\n  ~~~~\n', 36)).toEqual([
      '- a\n  ~~~~js\n  one()\n  two()\n  ~~~~',
      '  ~~~~js\n  three()\n  ~~~~\n',
    ]);
  });

  it('counts as the platform does', () => {
    expect(splitText('ääää', 4, MEASURES.bytes)).toEqual(['ää', 'ää']);
    expect(splitText('👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 2, MEASURES.characters)).toEqual(['👩‍👩‍👧‍👦👩‍👩‍👧‍👦']);
  });

  it.each([
    ['prose', 'Lorem ipsum dolor sit amet, consectetur.\n'],
    ['one word', 'x'],
    ['spaces', ' '],
    ['spaces with marks', ' \u0301'],
    ['fences', '```js\nx\n```\n'],
    ['joined emoji', '👩\u200d'],
    ['blank lines in code', '\n'],
  ])('takes a megabyte of %s in its stride', (what, unit) => {
    const text = `${what.startsWith('blank') ? '```\na' : ''}${unit.repeat(1_000_000 / unit.length)}`;
    const began = process.threadCpuUsage();
    splitText(text, 4_096, MEASURES.bytes);
    expect(process.threadCpuUsage(began).user / 1_000).toBeLessThan(2_000);
  });
});

describe('headOf', () => {
  it('gives as much as fits, with a sign that there is more', () => {
    expect(headOf('one two three', 20)).toBe('one two three');
    expect(headOf('one two three', 9)).toBe('one two…');
    expect(headOf('```js\none()\ntwo()\nthree()', 24)).toBe('```js\none()\ntwo()…\n```');
  });

  it('closes the code that is being written', () => {
    expect(headOf('```js\none()', 40)).toBe('```js\none()\n```');
  });

  it('never gives more than fits', () => {
    fc.assert(
      fc.property(cases, ({ text, longest, measure }) => {
        const head = headOf(text, longest + 4, measure);
        if ([...head].length > 3) expect(measure(head)).toBeLessThanOrEqual(longest + 4);
      }),
      { numRuns: 1_000 },
    );
  });
});
