import { type DialectName, isObject, type JsonObject, parseJson } from '@plugboard/protocol';
import type { Place } from '../observe/place.ts';
import type { Sight, Start } from '../observe/sight.ts';

/** A word that an agent can only repeat when it has read it. */
export const WORD = 'plugboard-detect';

export const QUESTION = `Say hello. (${WORD})`;

/** A harmless question in one dialect, and the signs by which an answer in it is known. */
export interface Probe {
  readonly dialect: DialectName;
  /** File names of programs that are known to speak the dialect: no other probe asks them anything. */
  readonly programs?: readonly string[];
  /** The command with the flags that make the program speak the dialect; `argv` unchanged when absent. */
  command?(argv: readonly string[]): readonly string[];
  start(place: Place): Start;
  /** The sign that gives the dialect away; undefined when there is none. */
  sign(sight: Sight): string | undefined;
  /** A weak sign, asked where no probe has found a strong one of this dialect. `silent` was not asked anything. */
  guess?(sight: Sight, others: { readonly silent: Sight; readonly found: number }): string | undefined;
  /** The guess is an agent that prints text, without frames. */
  readonly guessIsPlain?: true;
}

/** A start that is asked one JSON object. */
export function startWithRequest(input: JsonObject): Start {
  return { steps: [{ send: `${JSON.stringify(input)}\n` }, { close: true }] };
}

/** The lines of stdout that are JSON objects. */
export function objectsOf({ lines }: Sight): JsonObject[] {
  return lines.flatMap(({ text }) => {
    const parsed = parseJson(text);
    return parsed.ok && isObject(parsed.value) ? [parsed.value] : [];
  });
}

/** Whether a process has printed text and ended well. */
export function isTalk(sight: Sight): boolean {
  return !sight.overdue && sight.ending.exitCode === 0 && sight.lines.some(({ text }) => text.trim() !== '');
}
