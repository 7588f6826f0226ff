import { storableText } from '../../../storable.ts';
import { fold } from './fold.ts';
import { shortGramOf } from './short-grams.ts';

/** One word of a search, and how the index is asked for it. */
export interface SearchWord {
  /** The word, folded. */
  readonly text: string;
  readonly table: 'said' | 'said_short';
  /** The right side of `match`. In a quoted phrase no character has a special meaning. */
  readonly match: string;
}

/** The distinct words of a search text; none when it is only white space. */
export function searchWordsOf(search: string): SearchWord[] {
  const words = new Set(fold(storableText(search)).split(/\s+/u));
  words.delete('');
  return [...words].map(toSearchWord);
}

function toSearchWord(text: string): SearchWord {
  if ([...text].length < 3) return { text, table: 'said_short', match: shortGramOf(text) };
  return { text, table: 'said', match: `"${text.replaceAll('"', '""')}"` };
}
