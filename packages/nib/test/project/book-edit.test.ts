import { describe, expect, it } from 'vitest';
import { listScenes, readBook } from '../../src/project/book.ts';
import { type BookEdit, editBook } from '../../src/project/book-edit.ts';
import {
  deleteChapter,
  deleteScene,
  insertChapter,
  insertScene,
  moveChapter,
  moveScene,
  nameChapter,
  renameScene,
} from '../../src/project/chapter-edits.ts';

const TEXT = `# for the printer
title:   "A Book"   # odd spacing stays
isbn: 978-0
---
# the plan

book:
    base_dir: scenes
    cover: { colour: blue }

    chapters:
        # act one
        - name: 'One'
          mood: dark
          scenes:
              - 1.0 # the first
              - b
        - interlude: yes
          scenes: [c, d]
---
third: kept
`;

const edited = (edit: BookEdit, text = TEXT): string => editBook(text, 'book.yaml', edit);
const outline = (text: string): string[] =>
  readBook(text, { root: '/b', file: 'book.yaml', isDirectory: () => true }).chapters.map(
    ({ name, interlude, scenes }) =>
      `${name}${interlude ? '*' : ''}:${scenes.map(({ slug }) => slug).join(',')}`,
  );

describe('an edit of book.yaml', () => {
  it.each<[string, BookEdit, string[]]>([
    [
      'inserts a chapter',
      insertChapter(2, { name: 'Two: the return', interlude: false }),
      ['One:1.0,b', 'Two: the return:', '*:c,d'],
    ],
    ['inserts an interlude', insertChapter(3, { name: '', interlude: true }), ['One:1.0,b', '*:c,d', '*:']],
    ['deletes a chapter', deleteChapter(1), ['*:c,d']],
    ['moves a chapter', moveChapter(2, 1), ['*:c,d', 'One:1.0,b']],
    ['names a chapter', nameChapter(2, 'Null'), ['One:1.0,b', 'Null*:c,d']],
    ['renames a chapter', nameChapter(1, '# Eins'), ['# Eins:1.0,b', '*:c,d']],
    ['takes a name away', nameChapter(1, ''), [':1.0,b', '*:c,d']],
    ['inserts a scene', insertScene({ chapter: 2, position: 2 }, 'true'), ['One:1.0,b', '*:c,true,d']],
    ['deletes a scene', deleteScene({ chapter: 1, position: 2 }), ['One:1.0', '*:c,d']],
    ['renames a scene', renameScene({ chapter: 1, position: 1 }, 'null'), ['One:null,b', '*:c,d']],
    [
      'moves a scene',
      moveScene({ chapter: 1, position: 1 }, { chapter: 2, position: 3 }),
      ['One:b', '*:c,d,1.0'],
    ],
    [
      'moves a scene within its chapter',
      moveScene({ chapter: 2, position: 2 }, { chapter: 2, position: 1 }),
      ['One:1.0,b', '*:d,c'],
    ],
  ])('an edit of book.yaml %s', (_what, edit, expected) => {
    const result = edited(edit);
    expect(outline(result)).toEqual(expected);
    // The first document stays byte for byte.
    expect(result.startsWith(TEXT.slice(0, TEXT.indexOf('---')))).toBe(true);
    expect(result.endsWith('---\nthird: kept\n')).toBe(true);
    for (const kept of ['# the plan', 'cover: {colour: blue}'])
      expect(result.replace(/\{ | \}/g, (x) => x.trim())).toContain(kept);
  });

  it('an edit changes only its own line of book.yaml', () => {
    const before = TEXT.split('\n');
    const after = edited(insertScene({ chapter: 1, position: 3 }, 'e')).split('\n');
    expect(after.filter((line) => !before.includes(line)).map((line) => line.trim())).toEqual(
      expect.arrayContaining(['- e']),
    );
    expect(after).toContain('        # act one');
    expect(after).toContain('              - 1.0 # the first');
    expect(after).toContain('          mood: dark');
  });

  it('renaming a scene keeps its comment in book.yaml', () => {
    expect(edited(renameScene({ chapter: 1, position: 1 }, 'z'))).toContain('- z # the first');
  });

  it('an edit keeps CRLF line ends in book.yaml', () => {
    const result = edited(insertScene({ chapter: 1, position: 1 }, 'x'), TEXT.replaceAll('\n', '\r\n'));
    expect(result.replaceAll('\r\n', '')).not.toContain('\n');
    expect(outline(result)).toEqual(['One:x,1.0,b', '*:c,d']);
  });

  it('an edit creates a missing list of chapters', () => {
    for (const body of [
      'book:\n',
      'book:\n  base_dir: s\n',
      'book:\n  chapters: ~\n',
      'book:\n  chapters: []\n',
    ]) {
      const result = edited(insertChapter(1, { name: '', interlude: false }), `title: A\n---\n${body}`);
      expect(outline(result)).toEqual([':']);
    }
  });

  it('an edit adds a scene to a chapter without scenes', () => {
    const text = 'title: A\n---\nbook:\n  chapters:\n  - name: X\n  - scenes:\n';
    expect(outline(edited(insertScene({ chapter: 1, position: 1 }, 'a'), text))).toEqual(['X:a', ':']);
    expect(outline(edited(insertScene({ chapter: 2, position: 1 }, 'a'), text))).toEqual(['X:', ':a']);
  });

  it('a hundred random edits give the expected book', () => {
    let text = 'title: A\n---\nbook:\n  chapters: []\n';
    for (let number = 1; number <= 10; number += 1)
      text = edited(insertChapter(number, { name: '', interlude: false }), text);
    for (let scene = 1; scene <= 90; scene += 1) {
      text = edited(insertScene({ chapter: (scene % 10) + 1, position: 1 }, `s${scene}`), text);
    }
    const book = readBook(text, { root: '/b', file: 'f', isDirectory: () => true });
    expect(new Set(listScenes(book).map(({ slug }) => slug)).size).toBe(90);
  });
});
