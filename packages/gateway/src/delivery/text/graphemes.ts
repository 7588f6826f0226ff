const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * Where the character that people see at `index` begins. `from` must be such a beginning itself; what follows matters no
 * further than the next code point.
 */
export function graphemeStart(text: string, from: number, index: number): number {
  if (index <= from || index >= text.length) return index;
  const window = text.slice(from, index + 2);
  return from + (segmenter.segment(window).containing(index - from)?.index ?? index - from);
}

/** Whether nothing that people see as one is cut here. */
export function isBoundary(text: string, from: number, index: number): boolean {
  return graphemeStart(text, from, index) === index;
}

/** Nothing below this joins what stands before it. */
const FIRST_JOINING = 0x300;

/** Whether a space or a mark at `index - 1` and what follows it are two. To see that, the two are enough. */
export function isBoundaryBehind(text: string, index: number): boolean {
  if (text.charCodeAt(index) < FIRST_JOINING) return true;
  // Some marks would not join; but a text of nothing but marks is read without asking for each.
  return !/\p{M}/u.test(text[index] ?? '') && isBoundary(text, index - 1, index);
}

/** The same position, or the one before it where a surrogate pair would be cut. */
export function codePointStart(text: string, index: number): number {
  const code = text.charCodeAt(index);
  const before = text.charCodeAt(index - 1);
  return code >= 0xdc00 && code <= 0xdfff && before >= 0xd800 && before <= 0xdbff ? index - 1 : index;
}
