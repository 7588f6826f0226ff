import { type Book, readBook } from '../src/project/book.ts';

/** Reads a book from the text of its second document. */
export function bookOf(body: string, front = 'title: Test'): Book {
  return readBook(`${front}\n---\n${body}`, { root: '/book', file: 'book.yaml', isDirectory: () => true });
}

/** A book with so many scenes in each chapter, called `c1s1` and so on. */
export function bookWith(...counts: readonly number[]): Book {
  const chapters = counts.map((count, index) => {
    const slugs = Array.from({ length: count }, (_none, at) => `c${index + 1}s${at + 1}`);
    return `    - scenes: [${slugs.join(', ')}]`;
  });
  return bookOf(['book:', '  base_dir: scenes', '  chapters:', ...chapters].join('\n'));
}
