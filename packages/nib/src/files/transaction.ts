import { existsSync, mkdirSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { NibError } from '../nib-error.ts';
import { getStagedPath, stageFile, syncDirectory, writeAtomic } from './atomic-write.ts';
import {
  getJournalPath,
  getReplacementsPath,
  type Journal,
  readJournal,
  readReplacements,
  type Step,
} from './journal.ts';
import { resolveInProject } from './project-path.ts';
import { finishReplacement } from './replace-file.ts';

/** One part of a change to the project; paths are relative to its root. */
export type Change =
  | { readonly write: string; readonly contents: string | Uint8Array }
  | { readonly move: string; readonly to: string };

/**
 * Makes several changes as one: after a crash at any moment, `finishInterrupted` restores the state before or completes
 * the state after. The caller holds the project's lock.
 *
 * First a journal lists the files to stage. Then the new versions are written beside the old. Then the journal's phase
 * becomes `renaming`, which commits the change. Then all files are renamed into place.
 */
export function commitChanges(root: string, changes: readonly Change[]): void {
  if (changes.length === 0) return;
  const planned = changes.map((change) => planStep(root, change));
  mkdirSync(dirname(getJournalPath(root)), { recursive: true });
  const steps = planned.map(({ step }) => step);
  writeJournal(root, { phase: 'staging', steps });
  try {
    for (const { target, contents } of planned) if (contents !== undefined) stageFile(target, contents);
    for (const directory of listDirectories(root, steps)) syncDirectory(directory);
    writeJournal(root, { phase: 'renaming', steps });
  } catch (error) {
    undoSteps(root, steps);
    throw error;
  }
  renameFiles(root, steps);
}

/** Whether a change was interrupted and must be finished or undone. */
export function isInterrupted(root: string): boolean {
  return existsSync(getJournalPath(root)) || existsSync(getReplacementsPath(root));
}

/** Whether only some files of a change have been renamed; in the phase `staging`, none has. */
export function isHalfCommitted(root: string): boolean {
  return readJournal(root)?.phase === 'renaming';
}

/** Finishes or undoes an interrupted change. The caller holds the project's lock. */
export function finishInterrupted(root: string): void {
  finishReplacements(root);
  const journal = readJournal(root);
  if (journal === undefined) return;
  if (journal.phase === 'staging') undoSteps(root, journal.steps);
  else renameFiles(root, journal.steps);
}

/**
 * Runs an action that replaces files; after a crash the next `finishInterrupted` repairs them. The caller holds the
 * lock.
 */
export function withReplacements<T>(root: string, paths: readonly string[], action: () => T): T {
  mkdirSync(dirname(getJournalPath(root)), { recursive: true });
  writeAtomic(getReplacementsPath(root), `${JSON.stringify(paths)}\n`);
  try {
    return action();
  } finally {
    finishReplacements(root);
  }
}

function finishReplacements(root: string): void {
  for (const path of readReplacements(root)) finishReplacement(resolveInProject(root, path));
  rmSync(getReplacementsPath(root), { force: true });
}

interface Planned {
  readonly step: Step;
  readonly target: string;
  readonly contents: string | Uint8Array | undefined;
}

function planStep(root: string, change: Change): Planned {
  if ('move' in change) {
    resolveInProject(root, change.move);
    const target = resolveInProject(root, change.to);
    if (existsSync(target))
      throw new NibError(`${change.to} is there already and would be lost. Move it away.`);
    mkdirSync(dirname(target), { recursive: true });
    return { step: { from: change.move, to: change.to, staged: false }, target, contents: undefined };
  }
  const target = resolveLink(root, resolveInProject(root, change.write));
  mkdirSync(dirname(target), { recursive: true });
  const from = relative(root, getStagedPath(target));
  return { step: { from, to: relative(root, target), staged: true }, target, contents: change.contents };
}

/** A link inside the project stays a link: its target is replaced. */
function resolveLink(root: string, target: string): string {
  if (!existsSync(target)) return target;
  return join(root, relative(realpathSync(root), realpathSync(target)));
}

function writeJournal(root: string, journal: Journal): void {
  writeAtomic(getJournalPath(root), `${JSON.stringify(journal)}\n`);
}

function undoSteps(root: string, steps: readonly Step[]): void {
  for (const { from, staged } of steps) if (staged) rmSync(resolveInProject(root, from), { force: true });
  deleteJournal(root);
}

/** A step whose source is missing was done before the crash. */
function renameFiles(root: string, steps: readonly Step[]): void {
  let done = 0;
  try {
    for (const { from, to } of steps) {
      const source = resolveInProject(root, from);
      if (existsSync(source)) renameSync(source, resolveInProject(root, to));
      done += 1;
    }
  } catch (error) {
    // No file has changed yet, so the steps can still be undone.
    if (done === 0) undoSteps(root, steps);
    throw error;
  }
  for (const directory of listDirectories(root, steps)) syncDirectory(directory);
  deleteJournal(root);
}

function deleteJournal(root: string): void {
  rmSync(getJournalPath(root), { force: true });
  syncDirectory(dirname(getJournalPath(root)));
}

function listDirectories(root: string, steps: readonly Step[]): ReadonlySet<string> {
  return new Set(steps.map(({ to }) => dirname(join(root, to))));
}
