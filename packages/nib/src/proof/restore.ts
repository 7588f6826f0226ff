import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FileChange } from '../files/changes.ts';
import { insideProject } from '../files/inside.ts';
import { lstatIfThere } from '../files/read.ts';
import { putHeld } from '../files/snapshot.ts';
import { trashPath } from '../project/trash.ts';

/** A path that was put back; what stood there is in the trash, so that nobody's work is lost. */
export interface Restored {
  readonly path: string;
  /** Where the later version is now, relative to the root; undefined when there was none. */
  readonly kept: string | undefined;
  /** It could not be kept, and stays as it is now. */
  readonly lost: boolean;
}

/** Puts changed files back as they were. Their later versions go to the project's trash. */
export function restore(root: string, changes: readonly FileChange[], now: number): readonly Restored[] {
  const kept = clear(root, changes, now);
  return changes.map(({ path, before }) => {
    if (before?.kind === 'seen') return { path, kept: undefined, lost: true };
    if (before === undefined) return { path, kept: kept.get(path), lost: false };
    // Through a link that leads out of the project nothing is written: the directory itself has to be inside.
    insideProject(root, dirname(path));
    // What is no file, such as an empty directory, was not among the changes.
    const stood = kept.get(path) ?? discard(root, path, now);
    putHeld(join(root, path), before);
    return { path, kept: stood, lost: false };
  });
}

/**
 * Takes the later versions away before anything is put back, since a file may now stand where a directory was, and the
 * other way round. What lies deeper goes first.
 */
function clear(
  root: string,
  changes: readonly FileChange[],
  now: number,
): ReadonlyMap<string, string | undefined> {
  const later = changes.filter(({ before, after }) => after !== undefined && before?.kind !== 'seen');
  return new Map(later.toReversed().map(({ path }) => [path, discard(root, path, now)]));
}

function discard(root: string, path: string, now: number): string | undefined {
  const file = join(root, path);
  if (lstatIfThere(file) === undefined) return undefined;
  const kept = trashPath(root, path, now);
  mkdirSync(dirname(join(root, kept)), { recursive: true });
  renameSync(file, join(root, kept));
  rmSync(file, { recursive: true, force: true });
  return kept;
}
