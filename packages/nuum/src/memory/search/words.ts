/** Characters of scripts that put no space between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々]+/gu;

/** Names that are written as several words in one, such as `readConfigFile` and `HTTPServer2`. */
const JOINED =
  /\b[A-Za-z]*[a-z0-9][A-Z][A-Za-z0-9]*|\b[A-Z]{2,}[a-z][A-Za-z0-9]*|\b[A-Za-z]+\d+[A-Za-z0-9]*/g;
const PIECES = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g;

/** What is longer is no name, but data in letters. */
const LONGEST_NAME = 80;

const BEYOND_ASCII = /[^\0-\x7f]/;

/**
 * A text as the index is given it. Where a script puts no space between words, every pair of neighbours becomes a word,
 * so that any part of a sentence is found as a phrase; the parts of joined names follow at the end.
 */
export function searchable(text: string): string {
  const plain = folded(text);
  const pieces = new Set<string>();
  for (const [name] of plain.matchAll(JOINED)) {
    if (name.length > LONGEST_NAME) continue;
    for (const [piece] of name.matchAll(PIECES)) if (piece.length > 1) pieces.add(piece.toLowerCase());
  }
  const spaced = paired(plain, true);
  return pieces.size === 0 ? spaced : `${spaced}\n${[...pieces].join(' ')}`;
}

/** One thing to look for: a word, or several that the query put in quotes. */
export interface Term {
  /** As the query has it. */
  readonly literal: string;
  /** In the language of the index; undefined when it has nothing that the index knows, as punctuation. */
  readonly phrase: string | undefined;
  /** The same, for words that begin like it; undefined when it is too short for that to say anything. */
  readonly beginning: string | undefined;
  /** What it consists of, for when it is found nowhere as a whole: a question in a script without spaces, a name. */
  readonly parts: readonly string[];
  /** Whether there is more to it than the index knows, such as the signs in `C++`. */
  readonly exacting: boolean;
}

/** More than anybody asks for; a whole page that is pasted as a query is not looked for word by word. */
const MOST_TERMS = 24;

/** What a query asks for. Nothing in it has a meaning but quotes, which keep words together. */
export function termsOf(query: string): Term[] {
  const literals = new Map<string, Term>();
  for (const [, quoted, bare] of query.toWellFormed().matchAll(/"([^"]+)"|(\S+)/g)) {
    const literal = (quoted ?? unpunctuated(bare ?? '')).replaceAll('\0', '').trim();
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
    searchable(literal)
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]{2,}/gu) ?? [];
  return [...new Set(words)].slice(0, MOST_TERMS);
}

/** A word without what ends a sentence; what consists of nothing else is left as it is. */
function unpunctuated(word: string): string {
  return word.replace(/(?<=[\p{L}\p{N}])[?!.,;:。、？！]+$/u, '');
}

function phraseOf(literal: string): string | undefined {
  const plain = folded(literal);
  if (!/[\p{L}\p{N}\p{Co}]/u.test(plain)) return undefined;
  const words = paired(plain, false).replaceAll('"', ' ');
  // One character of such a script is only found as the beginning of a pair.
  const single = [...plain].length === 1 && plain.match(UNSPACED) !== null;
  return single ? `"${words}"*` : `"${words}"`;
}

/** Forms that look the same are the same: full-width letters, accents in one character or two. */
function folded(text: string): string {
  return BEYOND_ASCII.test(text) ? text.normalize('NFKC') : text;
}

/** A text as it is compared where there is no index: without regard to case and accents, as the index does. */
export function plainOf(text: string): string {
  return folded(text).normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

/** Text with every run of an unspaced script as pairs; for the index also its last character, which begins no pair. */
function paired(text: string, withLast: boolean): string {
  if (!BEYOND_ASCII.test(text)) return text;
  return text.replace(UNSPACED, (run) => {
    const characters = [...run];
    const pairs = characters.slice(1).map((character, index) => `${characters[index]}${character}`);
    const last = characters.at(-1) ?? '';
    if (withLast || pairs.length === 0) pairs.push(last);
    return ` ${pairs.join(' ')} `;
  });
}
