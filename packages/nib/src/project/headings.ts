import type { Book, Chapter } from './book.ts';

/**
 * The heading of each chapter, in the order of the book: the author's name for it, or `Chapter` and a number in words.
 * Only chapters with a number are counted. All lists and builds use this function, so that headings agree.
 */
export function createHeadings(book: Book): readonly string[] {
  let shown = 0;
  return book.chapters.map((chapter) => {
    if (!isNumbered(chapter)) return chapter.name === '' ? 'Interlude' : chapter.name;
    shown += 1;
    return `Chapter ${spellNumber(shown)}`;
  });
}

function isNumbered({ name, interlude }: Chapter): boolean {
  return name === '' && !interlude;
}

const SMALL = [
  'Zero One Two Three Four Five Six Seven Eight Nine Ten',
  'Eleven Twelve Thirteen Fourteen Fifteen Sixteen Seventeen Eighteen Nineteen',
]
  .join(' ')
  .split(' ');
const TENS = 'Zero Ten Twenty Thirty Forty Fifty Sixty Seventy Eighty Ninety'.split(' ');

/** A number below 1000 in English words, for chapter headings; larger numbers in digits. */
export function spellNumber(number: number): string {
  if (number >= 1000) return String(number);
  if (number >= 100) {
    const rest = number % 100 === 0 ? '' : ` and ${spellNumber(number % 100)}`;
    return `${SMALL[Math.floor(number / 100)]} Hundred${rest}`;
  }
  if (number >= 20) {
    const rest = number % 10 === 0 ? '' : `-${SMALL[number % 10]}`;
    return `${TENS[Math.floor(number / 10)]}${rest}`;
  }
  return SMALL[number] ?? String(number);
}
