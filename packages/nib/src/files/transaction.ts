import { existsSync, mkdirSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { NibError } from '../failure.ts';
import { stage, stagedName, syncDirectory, writeAtomic } from './atomic.ts';
import { insideProject } from './inside.ts';
import {
  type Journal,
  journalFile,
  readJournal,
  readReplacements,
  replacementsFile,
  type Step,
} from './journal.ts';
import { finishReplacement } from './replace.ts';

/** One part of a change to the project; paths are relative to its root. */
export type Change =
  | { readonly write: string; readonly contents: string | Uint8Array }
  | { readonly move: string; readonly to: string };

/**
 * Makes several changes as one: after a crash at any moment, `finishInterrupted` brings the project to the state before
 * or to the state after. The caller holds the project's lock.
 *
 * First a journal names what will be staged; then the new versions are written beside the old; then the journal says
 * that all are there, which is the moment the change counts; then everything is renamed into place.
 */
export function commit(root: string, changes: readonly Change[]): void {
  if (changes.length === 0) return;
  const planned = changes.map((change) => plan(root, change));
  mkdirSync(dirname(journalFile(root)), { recursive: true });
  const steps = planned.map(({ step }) => step);
  write(root, { phase: 'staging', steps });
  try {
    for (const { target, contents } of planned) if (contents !== undefined) stage(target, contents);
    for (const directory of directoriesOf(root, steps)) syncDirectory(directory);
    write(root, { phase: 'renaming', steps });
  } catch (error) {
    undo(root, steps);
    throw error;
  }
  rename(root, steps);
}

/** Whether a change was cut short and waits to be finished or undone. */
export function isInterrupted(root: string): boolean {
  return existsSync(journalFile(root)) || existsSync(replacementsFile(root));
}

/** Whether some files of a change stand in their places and others do not yet; while it is staged, none does. */
export function isHalfMade(root: string): boolean {
  return readJournal(root)?.phase === 'renaming';
}

/** Finishes or undoes a change that was cut short. The caller holds the project's lock. */
export function finishInterrupted(root: string): void {
  finishReplacements(root);
  const journal = readJournal(root);
  if (journal === undefined) return;
  if (journal.phase === 'staging') undo(root, journal.steps);
  else rename(root, journal.steps);
}

/** Runs an action that replaces files; a crash in it is mended by the next `finishInterrupted`. The caller holds the lock. */
export function withReplacements<T>(root: string, paths: readonly string[], action: () => T): T {
  mkdirSync(dirname(journalFile(root)), { recursive: true });
  writeAtomic(replacementsFile(root), `${JSON.stringify(paths)}\n`);
  try {
    return action();
  } finally {
    finishReplacements(root);
  }
}

function finishReplacements(root: string): void {
  for (const path of readReplacements(root)) finishReplacement(insideProject(root, path));
  rmSync(replacementsFile(root), { force: true });
}

interface Planned {
  readonly step: Step;
  readonly target: string;
  readonly contents: string | Uint8Array | undefined;
}

function plan(root: string, change: Change): Planned {
  if ('move' in change) {
    insideProject(root, change.move);
    const target = insideProject(root, change.to);
    if (existsSync(target))
      throw new NibError(`${change.to} is there already and would be lost. Move it away.`);
    mkdirSync(dirname(target), { recursive: true });
    return { step: { from: change.move, to: change.to, staged: false }, target, contents: undefined };
  }
  const target = followed(root, insideProject(root, change.write));
  mkdirSync(dirname(target), { recursive: true });
  const from = relative(root, stagedName(target));
  return { step: { from, to: relative(root, target), staged: true }, target, contents: change.contents };
}

/** A link inside the project stays a link: what it leads to is replaced. */
function followed(root: string, target: string): string {
  if (!existsSync(target)) return target;
  return join(root, relative(realpathSync(root), realpathSync(target)));
}

function write(root: string, journal: Journal): void {
  writeAtomic(journalFile(root), `${JSON.stringify(journal)}\n`);
}

function undo(root: string, steps: readonly Step[]): void {
  for (const { from, staged } of steps) if (staged) rmSync(insideProject(root, from), { force: true });
  end(root);
}

/** A step whose source is gone was done before the crash. */
function rename(root: string, steps: readonly Step[]): void {
  let done = 0;
  try {
    for (const { from, to } of steps) {
      const source = insideProject(root, from);
      if (existsSync(source)) renameSync(source, insideProject(root, to));
      done += 1;
    }
  } catch (error) {
    // Nothing has changed yet, so that nothing needs to be finished.
    if (done === 0) undo(root, steps);
    throw error;
  }
  for (const directory of directoriesOf(root, steps)) syncDirectory(directory);
  end(root);
}

function end(root: string): void {
  rmSync(journalFile(root), { force: true });
  syncDirectory(dirname(journalFile(root)));
}

function directoriesOf(root: string, steps: readonly Step[]): ReadonlySet<string> {
  return new Set(steps.map(({ to }) => dirname(join(root, to))));
}
