/**
 * Text as it is looked for: what people take for the same letters is the same. Composed and decomposed letters, wide and
 * ligated ones are; so are small and large ones, also where one becomes two (`ß`, `SS`) or depends on the language (`İ`, `I`,
 * `ı`, `i`) or on the place in a word (`σ`, `ς`). What comes out is left as it is by the folding of the index itself.
 */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return (
    text
      .normalize('NFKC')
      // Down first for the one large letter that has no larger form, `ẞ`; up for those that become two; and down again.
      .toLowerCase()
      .toUpperCase()
      .toLowerCase()
      .replaceAll('i\u0307', 'i')
      .replaceAll('ς', 'σ')
      // What was one letter may be two by now, or the other way round.
      .normalize('NFKC')
  );
}

const ASCII = /^[\0-\x7f]*$/;
