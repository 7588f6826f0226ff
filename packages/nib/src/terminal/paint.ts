import type { Env } from '../env.ts';

/** Puts colours around texts, or leaves them alone. */
export interface Paint {
  added(text: string): string;
  removed(text: string): string;
  /** The words of a line that make it different from another. */
  addedWords(text: string): string;
  removedWords(text: string): string;
  place(text: string): string;
  strong(text: string): string;
}

/** Colours for a stream, unless it is no terminal or the person wants none. */
export function paintFor(env: Env, stream: 'out' | 'err'): Paint {
  const { NO_COLOR = '', TERM } = env.variables;
  const plain = !env.screen[stream] || NO_COLOR !== '' || TERM === 'dumb';
  const colour =
    (code: string) =>
    (text: string): string =>
      plain ? text : `\u001B[${code}m${text}\u001B[0m`;
  return {
    added: colour('32'),
    removed: colour('31'),
    addedWords: colour('1;7;32'),
    removedWords: colour('1;7;31'),
    place: colour('36'),
    strong: colour('1'),
  };
}

/** A text in which nothing can move the cursor or change colours: control characters are shown as such. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu, (character) => {
    if (character === '\n' || character === '\t') return character;
    const code = character.codePointAt(0) ?? 0;
    return code < 0x20 ? String.fromCodePoint(0x2400 + code) : '\uFFFD';
  });
}
