import type { FileChange } from '../files/changes.ts';
import { encodingProblem } from '../files/encoding.ts';
import { type Held, isSame } from '../files/snapshot.ts';
import { type Conflict, mergeText } from './merge-text.ts';

/** The result of `mergeFile`. */
export interface MergedFile {
  readonly next: Held | undefined;
  readonly conflicts: readonly Conflict[];
  /** Both sides are in `next`, or one of them in conflicts. */
  readonly merged: boolean;
}

/** Merges the change of a backend into the present file; in conflicts, and for files that are not text, the file wins. */
export function mergeFile({ before, after }: Omit<FileChange, 'path'>, now: Held | undefined): MergedFile {
  if (isSame(now, before)) return { next: after, conflicts: [], merged: false };
  if (isSame(now, after)) return { next: now, conflicts: [], merged: false };
  const [base, mine, theirs] = [textOf(before), textOf(now), textOf(after)];
  if (now?.kind !== 'file' || base === undefined || mine === undefined || theirs === undefined)
    return { next: now, conflicts: [{ mine: mine ?? '', theirs: theirs ?? '' }], merged: true };
  const { text, conflicts } = mergeText(base, mine, theirs);
  return { next: { ...now, bytes: Buffer.from(text) }, conflicts, merged: true };
}

/** The exact text, with its byte order mark; undefined when there is no file or it is no text. */
function textOf(held: Held | undefined): string | undefined {
  if (held?.kind !== 'file' || encodingProblem(held.bytes) !== undefined) return undefined;
  return held.bytes.toString('utf8');
}
