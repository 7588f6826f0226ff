/**
 * Normalizes text for search: NFKC, and one case for all letters. Handles letters that become two (`ß`, `SS`), depend on the
 * language (`İ`, `I`, `ı`, `i`) or on the position in a word (`σ`, `ς`). FTS5 does not change the result again.
 */
export function foldText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return (
    text
      .normalize('NFKC')
      // First to lower case, for `ẞ`, which `toUpperCase` keeps; to upper case for letters that become two; to lower case again.
      .toLowerCase()
      .toUpperCase()
      .toLowerCase()
      .replaceAll('i\u0307', 'i')
      .replaceAll('ς', 'σ')
      // Case mapping can compose or decompose letters.
      .normalize('NFKC')
  );
}

const ASCII = /^[\0-\x7f]*$/;
