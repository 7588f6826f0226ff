import { terminalText } from '@plugboard/protocol';
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

/** A text for a stream: as `terminalText` where that is a terminal; a file or a pipe gets the bytes that were written. */
export function shownOn(env: Env, stream: 'out' | 'err', text: string): string {
  return env.screen[stream] ? terminalText(text) : text;
}
