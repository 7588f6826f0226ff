import { describe, expect, it } from 'vitest';
import { createHeadings, spellNumber } from '../../src/project/headings.ts';
import { parseTestBook } from '../books.ts';

describe('headings', () => {
  it('headings number only the chapters that show a number', () => {
    const book = parseTestBook(
      'book:\n  chapters:\n  - {}\n  - name: the Ferry\n  - interlude: true\n  - {}\n  - {interlude: yes, name: Low Water}\n  - {}\n',
    );
    expect(createHeadings(book)).toEqual([
      'Chapter One',
      'the Ferry',
      'Interlude',
      'Chapter Two',
      'Low Water',
      'Chapter Three',
    ]);
  });
});

describe('a number in words', () => {
  it.each([
    [1, 'One'],
    [10, 'Ten'],
    [13, 'Thirteen'],
    [20, 'Twenty'],
    [42, 'Forty-Two'],
    [100, 'One Hundred'],
    [117, 'One Hundred and Seventeen'],
    [999, 'Nine Hundred and Ninety-Nine'],
    [1000, '1000'],
  ])('the number %i in words is %s', (number, words) => expect(spellNumber(number)).toBe(words));
});
