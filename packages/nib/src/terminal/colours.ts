import { terminalText } from '@plugboard/protocol';
import type { Env } from '../env.ts';

/** Adds ANSI colours to texts, or returns them unchanged. */
export interface Colours {
  added(text: string): string;
  removed(text: string): string;
  /** The words of a line that differ from the other line. */
  addedWords(text: string): string;
  removedWords(text: string): string;
  position(text: string): string;
  strong(text: string): string;
}

/** Colours for a stream; none if it is no terminal, `NO_COLOR` is set or `TERM` is dumb. */
export function createColours(env: Env, stream: 'out' | 'err'): Colours {
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
    position: colour('36'),
    strong: colour('1'),
  };
}

/**
 * Escapes control sequences with `terminalText` if the stream is a terminal; a file or a pipe gets the original bytes.
 */
export function escapeForTerminal(env: Env, stream: 'out' | 'err', text: string): string {
  return env.screen[stream] ? terminalText(text) : text;
}
