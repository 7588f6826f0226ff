import { storableText } from '../../../../storable.ts';
import { fold } from '../../fold.ts';

/**
 * Sessions in which every word is found. Words of three characters and more are asked of the index as a quoted phrase,
 * in which nothing has a meaning; shorter ones have no trigram, but there is one that begins with them wherever they
 * stand, since every text is indexed with two spaces after it. Titles lie under minus the `seq` of their session.
 */
export const FOUND = `seq in (
  with hits (word, doc) as (
    select word.key, said.rowid from json_each(:long_words) as word join said on said match word.value
    union
    select word.key, doc from json_each(:short_words) as word
    join said_terms on term >= word.value and term < word.value || char(1114111)
  ), found (word, session) as (
    select word, iif(doc < 0, -doc, (select session from events where events.seq = doc)) from hits
  )
  select session from found group by session having count(distinct word) = :words)`;

/** The parameters of FOUND; undefined when there is no word to look for. */
export function wordsOf(
  search: string,
): { long_words: string; short_words: string; words: number } | undefined {
  const words = [
    ...new Set(
      fold(storableText(search))
        .split(/\s+/u)
        .filter((word) => word !== ''),
    ),
  ];
  if (words.length === 0) return undefined;
  const long: Record<string, string> = {};
  const short: Record<string, string> = {};
  for (const [index, word] of words.entries()) {
    if ([...word].length >= 3) long[index] = `"${word.replaceAll('"', '""')}"`;
    else short[index] = word;
  }
  return { long_words: JSON.stringify(long), short_words: JSON.stringify(short), words: words.length };
}
