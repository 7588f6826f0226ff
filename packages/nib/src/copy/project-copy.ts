import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Env } from '../env.ts';
import { compareSnapshots, type FileChange } from '../files/file-changes.ts';
import {
  type FileState,
  findObstacle,
  isSame,
  listAliases,
  type Snapshot,
  takeSnapshot,
} from '../files/snapshot.ts';
import { tryLock } from '../project/lock.ts';
import { fillCopy, updateCopy } from './copy-files.ts';
import { COPY_PREFIX, deleteStaleCopies } from './stale-copies.ts';

/** Changes to a project since a snapshot of it. */
export interface ProjectWatch {
  /** That snapshot. */
  base(): Snapshot;
  /** Changes to the project itself since `base`, except for the versions in `written`. */
  projectChanges(written?: ReadonlyMap<string, FileState | undefined>): readonly FileChange[];
  /** Adds changes to `base`, so that `projectChanges` does not return them again. */
  accept(changes: readonly FileChange[]): void;
  /** Changes by the backend to its copy; empty when it has none. */
  changes(): readonly FileChange[];
}

/** A copy of the project for a backend; the author goes on writing in the project. */
export interface ProjectCopy extends ProjectWatch {
  /** The directory of the copy. */
  readonly root: string;
  /** Reverts the backend's changes to the copy. */
  reset(): void;
  /** Copies the present state of the project again; `base` and `changes` start from there. */
  update(): void;
  remove(): void;
}

/** Copies the project to a private directory. The files in `scenes` are watched at any path and of any size. */
export async function createCopy(env: Env, project: string, scenes: readonly string[]): Promise<ProjectCopy> {
  const temporary = realpathSync(env.variables.TMPDIR || tmpdir());
  await deleteStaleCopies(temporary, env.now());
  const holder = mkdtempSync(join(temporary, COPY_PREFIX));
  const release = await tryLock(join(holder, 'lock'));
  const root = join(holder, basename(project) || 'project');
  const remove = (): void => {
    release?.();
    rmSync(holder, { recursive: true, force: true });
  };
  try {
    mkdirSync(root, { mode: 0o700 });
    return { ...watchCopy(project, root, scenes), remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Watches a project without a copy, for a backend that has the terminal. */
export function watchProject(project: string): ProjectWatch {
  return { ...watchFiles(project, []), changes: () => [] };
}

function watchCopy(project: string, root: string, scenes: readonly string[]): Omit<ProjectCopy, 'remove'> {
  const named = listAliases(project, scenes);
  const files = watchFiles(project, named);
  fillCopy(project, root, files.base());
  let made = takeSnapshot(root, named);
  return {
    ...files,
    root,
    changes: () =>
      compareSnapshots(made, takeSnapshot(root, named)).map((change) =>
        change.after === undefined ? { ...change, after: findObstacle(root, change.path) } : change,
      ),
    reset: () => updateCopy(project, root, takeSnapshot(root, named), made),
    update() {
      files.restart();
      updateCopy(project, root, takeSnapshot(root, named), files.base());
      made = takeSnapshot(root, named);
    },
  };
}

function watchFiles(project: string, named: readonly string[]) {
  let base = new Map(takeSnapshot(project, named));
  return {
    base: (): Snapshot => base,
    restart() {
      base = new Map(takeSnapshot(project, named));
    },
    projectChanges(written: ReadonlyMap<string, FileState | undefined> = new Map()): readonly FileChange[] {
      const changes = compareSnapshots(base, takeSnapshot(project, named));
      return changes.filter(({ path, after }) => !written.has(path) || !isSame(written.get(path), after));
    },
    accept(changes: readonly FileChange[]) {
      for (const { path, after } of changes) {
        if (after === undefined) base.delete(path);
        else base.set(path, after);
      }
    },
  };
}
