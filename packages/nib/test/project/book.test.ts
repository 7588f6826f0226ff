import { describe, expect, it } from 'vitest';
import { listScenes, readBook } from '../../src/project/book.ts';
import { parseTestBook } from '../books.ts';

const read = (text: string, isDirectory = true) =>
  readBook(text, { root: '/book', file: 'book.yaml', isDirectory: () => isDirectory });
const slugs = (text: string): string[] => listScenes(read(text)).map(({ slug }) => slug);
const paths = (body: string): string[] => listScenes(parseTestBook(body)).map(({ path }) => path);

describe('book.yaml', () => {
  it('readBook reads a document about the book and one with its chapters', () => {
    const book = read(
      '---\ntitle: 1984\nauthor: A\n---\nbook:\n  base_dir: scenes\n  chapters:\n  - name: One\n    scenes: [a]\n---\nignored: [\n',
    );
    expect(book.title).toBe('1984');
    expect(book.chapters[0]).toMatchObject({ number: 1, name: 'One', interlude: false });
    expect(book.chapters[0]?.scenes[0]).toEqual({
      slug: 'a',
      chapter: 1,
      position: 1,
      ref: '1.1',
      path: 'scenes/a.md',
      line: 9,
      interlude: false,
    });
  });

  it('a book.yaml above 1 MiB is refused', () =>
    expect(() => read(`---\n---\nbook:\n  chapters: []\n# ${'x'.repeat(1024 * 1024)}`)).toThrow(
      'book.yaml is larger than 1 MiB',
    ));

  it('book.yaml may have an empty first document', () =>
    expect(slugs('---\n---\nbook:\n  chapters:\n  - scenes: [a]\n')).toEqual(['a']));

  it.each([
    ['title: A\n', 'one YAML document and needs two'],
    ['', 'no YAML document'],
    ['title: A\n---\nbook: [\n', 'book.yaml:4:'],
    ['title: {a: b}\n---\nbook:\n', 'book.yaml:1: title should be plain text'],
    ['a: b\n---\nbook: x\n', 'book.yaml:3: book should be a map'],
    ['a: b\n---\nbook:\n  chapters: x\n', 'book.yaml:4: chapters should be a list'],
    ['a: b\n---\nbook:\n  chapters:\n  - x\n', 'book.yaml:5: chapter 1 should be a map'],
    ['a: b\n---\nbook:\n  chapters:\n  - scenes:\n    - a: b\n', 'book.yaml:6: A scene should be plain text'],
    ['a: b\n---\nbook:\n  chapters:\n  - interlude: maybe\n', 'book.yaml:5: interlude is true or false'],
    ['a: b\n---\nbook:\n  chapters: []\n  chapters: []\n', 'book.yaml:5:'],
  ])('the book.yaml %j is refused with its line', (text, expected) =>
    expect(() => read(text)).toThrow(expected),
  );

  it('readBook keeps slugs as they were written', () => {
    expect(
      slugs('---\n---\nbook:\n  chapters:\n  - scenes: [1, 1.0, true, 007, "~", no, 2020-01-01]\n'),
    ).toEqual(['1', '1.0', 'true', '007', '~', 'no', '2020-01-01']);
  });

  it('a book without chapters, or with null, has none', () => {
    for (const chapters of ['', ' ~', ' null', ' []'])
      expect(parseTestBook(`book:\n  chapters:${chapters}\n`).chapters).toEqual([]);
    expect(parseTestBook('').chapters).toEqual([]);
    expect(parseTestBook('book:\n  chapters:\n  - scenes:\n').chapters[0]?.scenes).toEqual([]);
  });

  it('book.yaml may have CRLF line ends and a byte order mark', () => {
    expect(
      slugs('\uFEFFtitle: A\r\n---\r\nbook:\r\n  chapters:\r\n  - scenes:\r\n    - a\r\n    - b\r\n'),
    ).toEqual(['a', 'b']);
  });

  it.each(['yes', 'Yes', 'on', 'true', 'TRUE', 'y'])('readBook takes %s for an interlude', (word) => {
    expect(parseTestBook(`book:\n  chapters:\n  - interlude: ${word}\n`).chapters[0]?.interlude).toBe(true);
  });

  it('book.yaml may list a scene in two chapters', () => {
    expect(paths('book:\n  chapters:\n  - scenes: [a]\n  - subdir: x\n    scenes: [a]\n')).toEqual([
      'a.md',
      'x/a.md',
    ]);
  });

  it('readBook resolves aliases', () => {
    expect(slugs('---\n---\nx: &s [a, b]\nbook:\n  chapters:\n  - scenes: *s\n')).toEqual(['a', 'b']);
  });
});

describe('the path of a scene', () => {
  it.each([
    ['base_dir: scenes', 'scenes/a.md'],
    ['base_dir: ./scenes/', 'scenes/a.md'],
    ['base_dir: ""', 'a.md'],
    ['base_dir: "my scenes/büch"', 'my scenes/büch/a.md'],
    ['base_dir: /scenes', 'scenes/a.md'],
  ])('the path of a scene follows %s', (base, expected) => {
    expect(paths(`book:\n  ${base}\n  chapters:\n  - scenes: [a]\n`)).toEqual([expected]);
  });

  it('an absolute base_dir may be inside the project', () => {
    const text = 'a: b\n---\nbook:\n  base_dir: /book/scenes\n  chapters:\n  - scenes: [a]\n';
    expect(listScenes(read(text, false))[0]?.path).toBe('scenes/a.md');
  });

  it.each([
    ['  base_dir: ../up\n  chapters: []', 4, 'base_dir ../up leads out'],
    ['  base_dir: /elsewhere\n  chapters: []', 4, 'base_dir /elsewhere leads out'],
    ['  chapters:\n  - subdir: ../../x', 5, 'subdir ../../x leads out'],
    ['  chapters:\n  - subdir: /x', 5, 'subdir /x leads out'],
    ['  chapters:\n  - scenes:\n    - ok\n    - ../up', 7, 'leads out of its directory'],
    ['  chapters:\n  - scenes:\n    - /etc/passwd', 6, 'has a slash'],
    ['  chapters:\n  - scenes:\n    - ".."', 6, 'leads out of its directory'],
    ['  chapters:\n  - scenes:\n    - "a\\nb"', 6, 'control character'],
    ['  chapters:\n  - scenes:\n    - ""', 6, 'is empty'],
    ['  chapters:\n  - scenes:\n    - "a\\\\b"', 6, 'has a backslash'],
  ])('readBook refuses paths out of the project: %j', (body, line, expected) => {
    const text = `a: b\n---\nbook:\n${body}\n`;
    expect(() => read(text, false)).toThrow(expected);
    expect(() => read(text, false)).toThrow(`book.yaml:${line}:`);
  });
});
