import { describeEncodingProblem } from '../files/encoding.ts';
import type { FileChange } from '../files/file-changes.ts';
import type { FileState } from '../files/snapshot.ts';
import { countWords } from '../manuscript/word-count.ts';
import { decodeProse } from '../project/scene-file.ts';

/** A proofread scene loses few words; a larger loss means that the backend did a different job. */
const MOST_LOSS = 0.4;

/** Splits changes into those to files in `given`, which has all their names, and those to other files. */
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

/** Whether a change removes more words than `MOST_LOSS` allows without a question. */
export function losesMuch({ before, after }: FileChange): boolean {
  const words = countStateWords(before);
  return words > 0 && (words - countStateWords(after)) / words > MOST_LOSS;
}

/** Whether a change makes a text unreadable: bytes that are not UTF-8, NUL, or more U+FFFD than before. */
export function spoilsText({ before, after }: FileChange): boolean {
  if (after?.kind !== 'file') return false;
  return (
    describeEncodingProblem(after.bytes) !== undefined || countReplacements(after) > countReplacements(before)
  );
}

/** Decoders put U+FFFD in the place of invalid bytes. */
function countReplacements(state: FileState | undefined): number {
  return decodeText(state).match(/\uFFFD/g)?.length ?? 0;
}

/** The text of a file for people; empty for links and large files. */
export function decodeText(state: FileState | undefined): string {
  return state?.kind === 'file' ? decodeProse(state.bytes) : '';
}

function countStateWords(state: FileState | undefined): number {
  return countWords(decodeText(state));
}
