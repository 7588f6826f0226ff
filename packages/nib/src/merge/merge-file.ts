import type { FileChange } from '../files/file-changes.ts';
import { type FileState, isSame } from '../files/snapshot.ts';
import { readText } from './keep-form.ts';
import { type Conflict, mergeText } from './merge-text.ts';

/** The result of `mergeFile`. */
export interface MergedFile {
  readonly next: FileState | undefined;
  readonly conflicts: readonly Conflict[];
  /** Both sides are in `next`, or one of them in `conflicts`. */
  readonly merged: boolean;
}

/** Merges the change of a backend into the present file; in conflicts, and for binary files, the present file wins. */
export function mergeFile(
  { before, after }: Omit<FileChange, 'path'>,
  now: FileState | undefined,
): MergedFile {
  if (isSame(now, before)) return { next: after, conflicts: [], merged: false };
  if (isSame(now, after)) return { next: now, conflicts: [], merged: false };
  const [base, mine, theirs] = [readText(before), readText(now), readText(after)];
  if (now?.kind !== 'file' || base === undefined || mine === undefined || theirs === undefined)
    return { next: now, conflicts: [{ mine: mine ?? '', theirs: theirs ?? '' }], merged: true };
  const { text, conflicts } = mergeText(base, mine, theirs);
  return { next: { ...now, bytes: Buffer.from(text) }, conflicts, merged: true };
}
