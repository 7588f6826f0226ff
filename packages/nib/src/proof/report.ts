import { terminalText } from '@plugboard/protocol';
import type { Env } from '../env.ts';
import type { FileChange } from '../files/changes.ts';
import { counted } from '../output.ts';
import { paintFor } from '../terminal/paint.ts';
import { formatChange } from './diff.ts';
import { type Restored, restore } from './restore.ts';

/** Prints changes as a diff. */
export function printChanges(env: Env, changes: readonly FileChange[]): void {
  const paint = paintFor(env, 'out');
  for (const change of changes) env.out(formatChange(change, paint));
}

/** Puts changed files back with `restore` and prints the result of each. */
export function putBackFiles(
  { env, root }: { readonly env: Env; readonly root: string },
  changes: readonly FileChange[],
): void {
  const restored = restore(root, changes, env.now());
  const back = restored.filter(({ lost }) => !lost);
  if (back.length > 0) env.err(`${counted(back.length, 'file')} put back: ${back.map(tell).join(', ')}.\n`);
  const lost = restored.filter((one) => one.lost);
  if (lost.length > 0) {
    const names = namesOf(lost);
    env.err(
      `Not in the backup, being large or closed to nib, and left as they are now: ${names}. Compare them with your own copy.\n`,
    );
  }
}

/** The paths of changes, for a sentence. */
export function namesOf(changes: readonly { readonly path: string }[]): string {
  return changes.map(({ path }) => terminalText(path)).join(', ');
}

function tell({ path, kept }: Restored): string {
  return kept === undefined
    ? terminalText(path)
    : `${terminalText(path)} (the later version is in ${terminalText(kept)})`;
}
