import { foldText } from '../../../folded-text.ts';
import { storableText } from '../../../storable.ts';

/** One word of a search, with its query for the index. */
export interface SearchWord {
  /** Result of `foldText`. */
  readonly text: string;
  readonly table: 'said' | 'said_short';
  /** The right side of SQL `match`. In a quoted phrase of FTS5, no character is special. */
  readonly match: string;
}

/** The distinct words of a search text; empty for white space. */
export function searchWordsOf(search: string): SearchWord[] {
  const words = new Set(foldText(storableText(search)).split(/\s+/u));
  words.delete('');
  return [...words].map(toSearchWord);
}

function toSearchWord(text: string): SearchWord {
  if ([...text].length < 3) return { text, table: 'said_short', match: shortGramOf(text) };
  return { text, table: 'said', match: `"${text.replaceAll('"', '""')}"` };
}

const WHITE_SPACE = /\s/u;

/**
 * The distinct characters and character pairs of a folded text, as tokens for `said_short`: the trigram index `said` cannot
 * find words of one or two characters. Characters are in hexadecimal, so that tokens are ASCII.
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

/** The token of `said_short` for a word of one or two characters. */
function shortGramOf(word: string): string {
  return [...word].map(hexOf).join('x');
}

function hexOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16);
}
