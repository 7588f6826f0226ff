const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * Start of the grapheme at `index`. `from` must be a grapheme start; text after the next code point has no influence.
 */
export function graphemeStart(text: string, from: number, index: number): number {
  if (index <= from || index >= text.length) return index;
  const window = text.slice(from, index + 2);
  return from + (segmenter.segment(window).containing(index - from)?.index ?? index - from);
}

/** Whether `index` is a grapheme boundary. */
export function isBoundary(text: string, from: number, index: number): boolean {
  return graphemeStart(text, from, index) === index;
}

/** No code point below U+0300 joins the one before it. */
const FIRST_JOINING = 0x300;

/**
 * Whether a grapheme ends between `index - 1`, a space or punctuation, and `index`. These two code points decide it.
 */
export function isBoundaryBehind(text: string, index: number): boolean {
  if (text.charCodeAt(index) < FIRST_JOINING) return true;
  // Treats all `\p{M}` as joining, since a segmenter call per mark is slow in a text of marks.
  return !/\p{M}/u.test(text[index] ?? '') && isBoundary(text, index - 1, index);
}

/** `index`, or `index - 1` where it would split a surrogate pair. */
export function codePointStart(text: string, index: number): number {
  const code = text.charCodeAt(index);
  const before = text.charCodeAt(index - 1);
  return code >= 0xdc00 && code <= 0xdfff && before >= 0xd800 && before <= 0xdbff ? index - 1 : index;
}
