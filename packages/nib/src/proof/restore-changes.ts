import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FileChange } from '../files/file-changes.ts';
import { resolveInProject } from '../files/project-path.ts';
import { lstatIfThere } from '../files/read-file.ts';
import { writeFileState } from '../files/snapshot.ts';
import { findTrashPath } from '../project/trash.ts';

/** The result of `restoreChanges` for one path. Its later version is in the trash, so that no work is lost. */
export interface Restored {
  readonly path: string;
  /** The path of the later version, relative to the root; undefined without one. */
  readonly kept: string | undefined;
  /** True when `before` was not kept: the file stays as it is now. */
  readonly lost: boolean;
}

/** Restores the earlier versions of files. Their later versions go to the project's trash. */
export function restoreChanges(
  root: string,
  changes: readonly FileChange[],
  now: number,
): readonly Restored[] {
  const kept = moveLaterVersions(root, changes, now);
  return changes.map(({ path, before }) => {
    if (before?.kind === 'seen' || before?.kind === 'other') return { path, kept: undefined, lost: true };
    if (before === undefined) return { path, kept: kept.get(path), lost: false };
    // Throws if the directory is a link that leads out of the project.
    resolveInProject(root, dirname(path));
    // Snapshots do not list empty directories, so one may be at this path.
    const stood = kept.get(path) ?? moveToTrash(root, path, now);
    writeFileState(join(root, path), before);
    return { path, kept: stood, lost: false };
  });
}

/**
 * Moves all later versions to `.nib/trash` before the first file is written, because a file may now be at the path of a
 * former directory, or the reverse. Deeper paths are moved first.
 */
function moveLaterVersions(
  root: string,
  changes: readonly FileChange[],
  now: number,
): ReadonlyMap<string, string | undefined> {
  const later = changes.filter(
    ({ before, after }) => after !== undefined && before?.kind !== 'seen' && before?.kind !== 'other',
  );
  return new Map(later.toReversed().map(({ path }) => [path, moveToTrash(root, path, now)]));
}

function moveToTrash(root: string, path: string, now: number): string | undefined {
  const file = join(root, path);
  if (lstatIfThere(file) === undefined) return undefined;
  const kept = findTrashPath(root, path, now);
  mkdirSync(dirname(join(root, kept)), { recursive: true });
  renameSync(file, join(root, kept));
  rmSync(file, { recursive: true, force: true });
  return kept;
}
