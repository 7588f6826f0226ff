import type { Book, Chapter } from './book.ts';
import { numberWords } from './number-words.ts';

/**
 * What stands above each chapter, in the order of the book: its name as the author wrote it, or a number in words. Only
 * chapters that show a number count towards it. Every list, heading and build takes its headings from here.
 */
export function headings(book: Book): readonly string[] {
  let shown = 0;
  return book.chapters.map((chapter) => {
    if (!isNumbered(chapter)) return chapter.name === '' ? 'Interlude' : chapter.name;
    shown += 1;
    return `Chapter ${numberWords(shown)}`;
  });
}

function isNumbered({ name, interlude }: Chapter): boolean {
  return name === '' && !interlude;
}
