const WHITE_SPACE = /\s/u;

/**
 * The distinct characters and pairs of neighbours in a folded text, as tokens for the index `said_short`: the trigram index
 * cannot find words of one or two characters. Characters are written in hexadecimal, so that each token is plain ASCII.
 */
export function shortGramsOf(folded: string): string {
  const grams = new Set<string>();
  let before = '';
  for (const character of folded) {
    if (WHITE_SPACE.test(character)) {
      before = '';
      continue;
    }
    const code = hexOf(character);
    grams.add(code);
    if (before !== '') grams.add(`${before}x${code}`);
    before = code;
  }
  return [...grams].join(' ');
}

/** The token of a word of one or two characters. */
export function shortGramOf(word: string): string {
  return [...word].map(hexOf).join('x');
}

function hexOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16);
}
