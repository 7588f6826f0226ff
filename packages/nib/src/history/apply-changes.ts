import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Env } from '../env.ts';
import type { FileChange } from '../files/file-changes.ts';
import { resolveInProject } from '../files/project-path.ts';
import { replaceFile } from '../files/replace-file.ts';
import { type FileState, forgetOther, isSame, readFileState } from '../files/snapshot.ts';
import { finishInterrupted, withReplacements } from '../files/transaction.ts';
import { type MergedFile, mergeFile } from '../merge/merge-file.ts';
import type { Conflict } from '../merge/merge-text.ts';
import { NibError } from '../nib-error.ts';
import { withLock } from '../project/lock.ts';
import type { HistoryEntry } from './history-entry.ts';
import { findNextRun, keepVersions, pruneHistory, writeEntry, writeNote } from './history-store.ts';

/** The fields of a new entry that the caller sets; an undefined `run` gets the next number. */
export interface EntryHead {
  readonly run: number | undefined;
  readonly part: number;
  readonly what: string;
  readonly kind: HistoryEntry['kind'];
  readonly undoes?: readonly string[];
}

/** The result of `applyChanges`. */
export interface Applied {
  readonly entry: HistoryEntry;
  /** The versions written to the project, by path. */
  readonly written: ReadonlyMap<string, FileState | undefined>;
  /** Files that had the wanted version already: the author, or another run, made the same change. */
  readonly agreed: ReadonlyMap<string, FileState | undefined>;
  /** Files that combine the author's later edits with the change. */
  readonly merged: readonly string[];
  readonly conflicts: readonly FileConflicts[];
}

/** The conflicts of one file, and the note that holds them. */
export interface FileConflicts {
  readonly path: string;
  readonly note: string;
  readonly conflicts: readonly Conflict[];
}

/** Ends the retries if another program saves the file without pause. */
const ATTEMPTS = 20;

/** Editors write a scene within a few milliseconds. */
export const SETTLE_MS = 150;

/**
 * Merges changes into the project and keeps all versions in the history. A file that is saved while `replaceFile` runs
 * is merged again.
 */
export async function applyChanges(
  env: Env,
  root: string,
  head: EntryHead,
  changes: readonly FileChange[],
): Promise<Applied> {
  return withLock(root, () => {
    finishInterrupted(root);
    const run = head.run ?? findNextRun(root);
    const entry = { ...head, run, at: new Date(env.now()).toISOString(), files: [], undone: false };
    const paths = changes.map(({ path }) => path);
    const applied = withReplacements(root, paths, () => applyEach(root, entry, changes));
    pruneHistory(root);
    return applied;
  });
}

/** Adds changes by other programs to the history; undefined when all of them are larger than a snapshot keeps. */
export async function recordChanges(
  env: Env,
  root: string,
  what: string,
  changes: readonly FileChange[],
): Promise<HistoryEntry | undefined> {
  const kept = changes
    .map(({ path, before, after }) => ({ path, before: forgetOther(before), after: forgetOther(after) }))
    .filter(({ before, after }) => before?.kind !== 'seen' && after?.kind !== 'seen')
    .filter(({ before, after }) => !isSame(before, after));
  if (kept.length === 0) return undefined;
  return withLock(root, () => {
    const files = kept.map(({ path, before, after }) => ({
      path,
      before: before !== undefined,
      after: after !== undefined,
    }));
    const at = new Date(env.now()).toISOString();
    const entry = {
      run: findNextRun(root),
      part: 1,
      at,
      what,
      kind: 'meanwhile' as const,
      files,
      undone: false,
    };
    for (const change of kept) keepVersions(root, entry, change);
    writeEntry(root, entry);
    pruneHistory(root);
    return entry;
  });
}

function applyEach(root: string, first: HistoryEntry, changes: readonly FileChange[]): Applied {
  let entry = first;
  const written = new Map<string, FileState | undefined>();
  const agreed = new Map<string, FileState | undefined>();
  const merged: string[] = [];
  const conflicts: FileConflicts[] = [];
  for (const change of changes) {
    const result = applyToFile(root, change, (before, next) => {
      const file = { path: change.path, before: before !== undefined, after: next !== undefined };
      entry = { ...entry, files: [...entry.files.filter(({ path }) => path !== change.path), file] };
      keepVersions(root, entry, { path: change.path, before, after: next });
      writeEntry(root, entry);
    });
    if (result.wrote) written.set(change.path, result.next);
    else if (isSame(result.next, change.after)) agreed.set(change.path, result.next);
    if (result.merged && result.wrote) merged.push(change.path);
    if (result.conflicts.length === 0) continue;
    const note = writeNote(root, entry, change.path, formatConflicts(change.path, result.conflicts));
    conflicts.push({ path: change.path, note, conflicts: result.conflicts });
  }
  return { entry, written, agreed, merged, conflicts };
}

function applyToFile(
  root: string,
  change: FileChange,
  keep: (before: FileState | undefined, next: FileState | undefined) => void,
): MergedFile & { readonly wrote: boolean } {
  // `resolveInProject` refuses a directory that is a link out of the project.
  resolveInProject(root, dirname(change.path));
  const file = resolveInProject(root, change.path);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const now = readSettled(file, change.before);
    const result = mergeFile(change, now);
    if (isSame(result.next, now)) return { ...result, wrote: false };
    keep(now, result.next);
    mkdirSync(dirname(file), { recursive: true });
    const [expected, next] = [requireBytes(now), requireBytes(result.next)];
    if (replaceFile(file, expected, next)) return { ...result, wrote: true };
  }
  throw new NibError(
    `${change.path} is saved again and again by another program. Close that, and try again.`,
  );
}

/**
 * Reads a file during a possible save: editors that write in place empty it first. Bytes other than `known` count only
 * when two reads, 150 ms apart, are equal. Synchronous, because the caller holds the lock.
 */
function readSettled(file: string, known: FileState | undefined): FileState | undefined {
  let state = readFileState(file);
  for (let attempt = 1; attempt <= ATTEMPTS && !isSame(state, known); attempt += 1) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SETTLE_MS);
    const again = readFileState(file);
    if (isSame(state, again)) return again;
    state = again;
  }
  return state;
}

function requireBytes(state: FileState | undefined): Buffer | undefined {
  if (state === undefined) return undefined;
  if (state.kind === 'file') return state.bytes;
  throw new NibError('Only files can be replaced, and no links or pipes.');
}

/** Both versions of each conflict; the person chooses. */
function formatConflicts(path: string, conflicts: readonly Conflict[]): string {
  const parts = conflicts.map(
    ({ mine, theirs }, at) =>
      `## Place ${at + 1}\n\nIn the scene:\n\n${quoteText(mine)}\n\nNot taken over:\n\n${quoteText(theirs)}\n`,
  );
  return `# ${path}\n\n${parts.join('\n')}`;
}

function quoteText(text: string): string {
  const shown = text.trim();
  return shown === '' ? '(nothing)' : shown.replace(/^/gm, '> ');
}
