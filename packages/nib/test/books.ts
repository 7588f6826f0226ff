import { type Book, readBook } from '../src/project/book.ts';

/** Reads a book from the text of its second document. */
export function parseTestBook(body: string, front = 'title: Test'): Book {
  return readBook(`${front}\n---\n${body}`, { root: '/book', file: 'book.yaml', isDirectory: () => true });
}

/** A book with `counts` scenes per chapter, called `c1s1`, `c1s2` etc. */
export function createTestBook(...counts: readonly number[]): Book {
  const chapters = counts.map((count, index) => {
    const slugs = Array.from({ length: count }, (_none, at) => `c${index + 1}s${at + 1}`);
    return `    - scenes: [${slugs.join(', ')}]`;
  });
  return parseTestBook(['book:', '  base_dir: scenes', '  chapters:', ...chapters].join('\n'));
}
