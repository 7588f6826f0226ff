/** Scripts that put no space between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々]+/gu;

/** Names of several words: `readConfigFile`, `HTTPServer2`. */
const JOINED =
  /\b[A-Za-z]*[a-z0-9][A-Z][A-Za-z0-9]*|\b[A-Z]{2,}[a-z][A-Za-z0-9]*|\b[A-Za-z]+\d+[A-Za-z0-9]*/g;
const PIECES = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g;

/** Longer matches are encoded data, not names. */
const LONGEST_NAME = 80;

const BEYOND_ASCII = /[^\0-\x7f]/;

/**
 * The text for the search index. In scripts without spaces, each pair of neighbouring characters becomes a word, so
 * that any part of a sentence is found as a phrase. The parts of joined names are appended.
 */
export function toIndexText(text: string): string {
  const plain = normalizeForms(text);
  const pieces = new Set<string>();
  for (const [name] of plain.matchAll(JOINED)) {
    if (name.length > LONGEST_NAME) continue;
    for (const [piece] of name.matchAll(PIECES)) if (piece.length > 1) pieces.add(piece.toLowerCase());
  }
  const spaced = pairCharacters(plain, true);
  return pieces.size === 0 ? spaced : `${spaced}\n${[...pieces].join(' ')}`;
}

/** A search term: a word, or several words that the query has in quotes. */
export interface Term {
  /** The text in the query. */
  readonly literal: string;
  /** The FTS5 phrase; undefined for terms of punctuation alone. */
  readonly phrase: string | undefined;
  /** The FTS5 prefix query; undefined for terms shorter than 4 characters. */
  readonly beginning: string | undefined;
  /**
   * Words to search for when the whole term is found nowhere: for names, and for questions in a script without spaces.
   */
  readonly parts: readonly string[];
  /** True when the term has characters that the index ignores, such as `C++`. */
  readonly exacting: boolean;
}

/** The limit for a whole page that is pasted as a query. */
const MOST_TERMS = 24;

/** The terms of a query. Quotes keep words together; no other character has a meaning. */
export function termsOf(query: string): Term[] {
  const literals = new Map<string, Term>();
  for (const [, quoted, bare] of query.toWellFormed().matchAll(/"([^"]+)"|(\S+)/g)) {
    const literal = (quoted ?? trimPunctuation(bare ?? '')).replaceAll('\0', '').trim();
    if (literal !== '') literals.set(literal.toLowerCase(), termOf(literal));
    if (literals.size >= MOST_TERMS) break;
  }
  return [...literals.values()];
}

function termOf(literal: string): Term {
  const phrase = phraseOf(literal);
  return {
    literal,
    phrase,
    beginning: phrase !== undefined && /^[\p{L}\p{N}]{4,}$/u.test(literal) ? `${phrase}*` : undefined,
    parts: partsOf(literal),
    exacting: /[^\p{L}\p{N}]/u.test(literal),
  };
}

function partsOf(literal: string): string[] {
  const words =
    toIndexText(literal)
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]{2,}/gu) ?? [];
  return [...new Set(words)].slice(0, MOST_TERMS);
}

/** A word without punctuation at its end. A word of punctuation alone is unchanged. */
function trimPunctuation(word: string): string {
  return word.replace(/(?<=[\p{L}\p{N}])[?!.,;:。、？！]+$/u, '');
}

function phraseOf(literal: string): string | undefined {
  const plain = normalizeForms(literal);
  if (!/[\p{L}\p{N}\p{Co}]/u.test(plain)) return undefined;
  const words = pairCharacters(plain, false).replaceAll('"', ' ');
  // A single character of an `UNSPACED` script is the beginning of a pair, except at the end of a run.
  const single = [...plain].length === 1 && plain.match(UNSPACED) !== null;
  return single ? `"${words}"*` : `"${words}"`;
}

/** NFKC: full-width letters and combining accents become the forms of other texts. */
function normalizeForms(text: string): string {
  return BEYOND_ASCII.test(text) ? text.normalize('NFKC') : text;
}

/** A text for comparison without the index, which ignores case and accents. */
export function plainOf(text: string): string {
  return normalizeForms(text).normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

/**
 * Replaces each run of an `UNSPACED` script by its pairs. `withLast` adds the last character, which begins no pair, for
 * the index.
 */
function pairCharacters(text: string, withLast: boolean): string {
  if (!BEYOND_ASCII.test(text)) return text;
  return text.replace(UNSPACED, (run) => {
    const characters = [...run];
    const pairs = characters.slice(1).map((character, index) => `${characters[index]}${character}`);
    const last = characters.at(-1) ?? '';
    if (withLast || pairs.length === 0) pairs.push(last);
    return ` ${pairs.join(' ')} `;
  });
}
