import { describe, expect, it } from 'vitest';
import { headings } from '../../src/project/heading.ts';
import { numberWords } from '../../src/project/number-words.ts';
import { bookOf } from '../books.ts';

describe('headings', () => {
  it('number only the chapters that show a number', () => {
    const book = bookOf(
      'book:\n  chapters:\n  - {}\n  - name: the Ferry\n  - interlude: true\n  - {}\n  - {interlude: yes, name: Low Water}\n  - {}\n',
    );
    expect(headings(book)).toEqual([
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
  ])('%i is %s', (number, words) => expect(numberWords(number)).toBe(words));
});
