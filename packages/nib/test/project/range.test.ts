import { describe, expect, it } from 'vitest';
import { parseRange, selectScenes, selectScenesThrough } from '../../src/project/range.ts';
import { createTestBook } from '../books.ts';

const book = createTestBook(2, 3, 0, 1);
const refs = (text: string): string =>
  selectScenes(book, text)
    .scenes.map(({ ref }) => ref)
    .join(' ');

describe('a range', () => {
  it.each([
    ['2', '2.1 2.2 2.3'],
    ['2.3', '2.3'],
    ['1-2', '1.1 1.2 2.1 2.2 2.3'],
    ['2-4', '2.1 2.2 2.3 4.1'],
    ['1.2-2.1', '1.2 2.1'],
    ['1.2-4.1', '1.2 2.1 2.2 2.3 4.1'],
    ['2.2-2.2', '2.2'],
    ['4,1', '4.1 1.1 1.2'],
    ['1,1', '1.1 1.2 1.1 1.2'],
    ['2.3,1.1', '2.3 1.1'],
    ['1.1,1.1', '1.1 1.1'],
    ['  1.2 - 2.1  ', '1.2 2.1'],
    [' 4 , 1 ', '4.1 1.1 1.2'],
    ['+1', '1.1 1.2'],
    ['01.002', '1.2'],
    ['+2.+3', '2.3'],
  ])('the range %j means %s', (text, expected) => expect(refs(text)).toBe(expected));

  it.each([
    ['', 'empty'],
    ['   ', 'empty'],
    ['one', 'not a chapter number'],
    ['1.two', 'not a scene number'],
    ['1.2.3', 'not a scene number'],
    ['1. 2', 'not a scene number'],
    ['１', 'not a chapter number'],
    ['1.２', 'not a scene number'],
    ['٣', 'not a chapter number'],
    ['1e3', 'not a chapter number'],
    ['0x1', 'not a chapter number'],
    ['.1', 'not a chapter number'],
    ['1.', 'not a scene number'],
    ['0', 'begin at 1'],
    ['1.0', 'begin at 1'],
    ['-1', 'both sides'],
    ['1-', 'both sides'],
    ['--', 'both sides'],
    ['1--2', 'begin at 1'],
    ['99999999999999999999', 'no book has so many'],
    ['1.9007199254740993', 'no book has so many'],
    ['5', 'chapters 1 to 4'],
    ['1.3', 'scenes 1 to 2'],
    ['1-9', 'chapters 1 to 4'],
    ['1.1-2.9', 'scenes 1 to 3'],
    ['2-1', 'ends before it begins'],
    ['2.2-2.1', 'ends before it begins'],
    ['1-2.1', 'mixes chapters and scenes'],
    ['1,2.1', 'mixes chapters and scenes'],
    ['1-2,3', 'a list cannot hold the span 1-2'],
    ['1,', 'a comma'],
    [',', 'a comma'],
    ['3', 'Chapter 3 has no scenes'],
    ['1,3', 'Chapter 3 has no scenes'],
    ['3.1', 'Chapter 3 has no scenes'],
    ['3-3', 'None of these chapters'],
  ])('the range %j is refused', (text, expected) => expect(() => refs(text)).toThrow(expected));

  it('a range tells whether it names whole chapters', () => {
    expect(parseRange('1-2').whole).toBe(true);
    expect(parseRange('1.1-2.2').whole).toBe(false);
  });

  it('a range groups its scenes by chapter, each chapter as often as it is named', () => {
    const groups = (text: string) =>
      selectScenes(book, text).groups.map(({ chapter, scenes }) => [chapter.number, scenes.length]);
    expect(groups('1-4')).toEqual([
      [1, 2],
      [2, 3],
      [4, 1],
    ]);
    expect(groups('1,1')).toEqual([
      [1, 2],
      [1, 2],
    ]);
    expect(groups('2.3,2.1,1.1')).toEqual([
      [2, 2],
      [1, 1],
    ]);
  });

  it('a selection does not share the arrays of the book', () => {
    selectScenes(book, '1.1,1.2');
    expect(book.chapters[0]?.scenes).toHaveLength(2);
  });
});

describe('everything through a scene', () => {
  const through = (chapter: number, position?: number): string =>
    selectScenesThrough(book, position === undefined ? { chapter } : { chapter, position })
      .map(({ ref }) => ref)
      .join(' ');

  it('selectScenesThrough ends at the scene, inside its chapter', () =>
    expect(through(2, 2)).toBe('1.1 1.2 2.1 2.2'));
  it('selectScenesThrough takes a whole chapter without a position', () =>
    expect(through(2)).toBe('1.1 1.2 2.1 2.2 2.3'));
  it('selectScenesThrough refuses an unknown scene', () =>
    expect(() => through(2, 9)).toThrow('scenes 1 to 3'));
  it('selectScenesThrough refuses an unknown chapter', () =>
    expect(() => through(9)).toThrow('chapters 1 to 4'));
});
