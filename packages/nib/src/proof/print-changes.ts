import { terminalText } from '@plugboard/protocol';
import type { Env } from '../env.ts';
import type { FileChange } from '../files/file-changes.ts';
import { formatCount } from '../output.ts';
import { createColours } from '../terminal/colours.ts';
import { formatChange } from './diff.ts';
import { type Restored, restoreChanges } from './restore-changes.ts';

/** Prints changes as a diff. */
export function printChanges(env: Env, changes: readonly FileChange[]): void {
  const colours = createColours(env, 'out');
  for (const change of changes) env.out(formatChange(change, colours));
}

/** Restores files with `restoreChanges` and prints the results. */
export function restoreFiles(
  { env, root }: { readonly env: Env; readonly root: string },
  changes: readonly FileChange[],
): void {
  const restored = restoreChanges(root, changes, env.now());
  const back = restored.filter(({ lost }) => !lost);
  if (back.length > 0)
    env.err(`${formatCount(back.length, 'file')} put back: ${back.map(formatRestored).join(', ')}.\n`);
  const lost = restored.filter((one) => one.lost);
  if (lost.length > 0) {
    const names = formatPaths(lost);
    env.err(
      `Not in the backup, being large or closed to nib, and left as they are now: ${names}. Compare them with your own copy.\n`,
    );
  }
}

/** The paths of changes, for a sentence. */
export function formatPaths(changes: readonly { readonly path: string }[]): string {
  return changes.map(({ path }) => terminalText(path)).join(', ');
}

function formatRestored({ path, kept }: Restored): string {
  return kept === undefined
    ? terminalText(path)
    : `${terminalText(path)} (the later version is in ${terminalText(kept)})`;
}
