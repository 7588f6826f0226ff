import type { FileChange } from '../files/changes.ts';
import { encodingProblem } from '../files/encoding.ts';
import type { Held } from '../files/snapshot.ts';
import { countWords } from '../manuscript/words.ts';
import { proseOf } from '../project/scene-file.ts';

/** A proof mends commas: a scene that loses more of its words than this was not proofread. */
const LOSS = 0.4;

/** The changes to files that were handed over, by all of their names, and those to others. */
export function sortChanges(
  given: readonly string[],
  changes: readonly FileChange[],
): { readonly wanted: readonly FileChange[]; readonly stray: readonly FileChange[] } {
  const own = new Set(given);
  return {
    wanted: changes.filter(({ path }) => own.has(path)),
    stray: changes.filter(({ path }) => !own.has(path)),
  };
}

/** Whether a change takes away so much of a text that somebody should be asked. */
export function losesMuch({ before, after }: FileChange): boolean {
  const words = wordsOf(before);
  return words > 0 && (words - wordsOf(after)) / words > LOSS;
}

/** Whether a change makes a text unreadable: bytes that are not UTF-8, NUL, or more U+FFFD than there were. */
export function spoilsText({ before, after }: FileChange): boolean {
  if (after?.kind !== 'file') return false;
  return encodingProblem(after.bytes) !== undefined || replacementsIn(after) > replacementsIn(before);
}

/** Decoders put U+FFFD in the place of bytes that they cannot read. */
function replacementsIn(held: Held | undefined): number {
  return textOf(held).match(/\uFFFD/g)?.length ?? 0;
}

/** The text a path holds for people; nothing when it is no text. */
export function textOf(held: Held | undefined): string {
  return held?.kind === 'file' ? proseOf(held.bytes) : '';
}

function wordsOf(held: Held | undefined): number {
  return countWords(textOf(held));
}
