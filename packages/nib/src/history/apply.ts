import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Env } from '../env.ts';
import { NibError } from '../failure.ts';
import type { FileChange } from '../files/changes.ts';
import { insideProject } from '../files/inside.ts';
import { replaceFile } from '../files/replace.ts';
import { type Held, isSame, readHeld } from '../files/snapshot.ts';
import { finishInterrupted, withReplacements } from '../files/transaction.ts';
import { type MergedFile, mergeFile } from '../merge/merge-file.ts';
import type { Conflict } from '../merge/merge-text.ts';
import { withLock } from '../project/lock.ts';
import type { HistoryEntry } from './entry.ts';
import { keepVersions, nextRun, pruneHistory, writeEntry, writeNote } from './store.ts';

/** The fields of a new entry that the caller knows; an undefined `run` gets the next number. */
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
  /** The versions that were written, by path. */
  readonly written: ReadonlyMap<string, Held | undefined>;
  /** Files that had the wanted version already: the author, or another run, made the same change. */
  readonly agreed: ReadonlyMap<string, Held | undefined>;
  /** Files in which the author's words of meanwhile and the change stand together. */
  readonly merged: readonly string[];
  readonly conflicts: readonly FileConflicts[];
}

/** The conflicts of one file and where they are kept. */
export interface FileConflicts {
  readonly path: string;
  readonly note: string;
  readonly conflicts: readonly Conflict[];
}

/** A person who saves without end does not keep nib for ever. */
const ATTEMPTS = 20;

/** Editors write a scene within a few milliseconds. */
export const SETTLE_MS = 150;

/**
 * Merges changes into the project and keeps every version in the history. A file that is saved while `replaceFile` runs is
 * merged again.
 */
export async function applyChanges(
  env: Env,
  root: string,
  head: EntryHead,
  changes: readonly FileChange[],
): Promise<Applied> {
  return withLock(root, () => {
    finishInterrupted(root);
    const run = head.run ?? nextRun(root);
    const entry = { ...head, run, at: new Date(env.now()).toISOString(), files: [], undone: false };
    const paths = changes.map(({ path }) => path);
    const applied = withReplacements(root, paths, () => applyAll(root, entry, changes));
    pruneHistory(root);
    return applied;
  });
}

/** Adds changes of other programs to the history; undefined when all of them are larger than a snapshot keeps. */
export async function recordChanges(
  env: Env,
  root: string,
  what: string,
  changes: readonly FileChange[],
): Promise<HistoryEntry | undefined> {
  const kept = changes.filter(({ before, after }) => before?.kind !== 'seen' && after?.kind !== 'seen');
  if (kept.length === 0) return undefined;
  return withLock(root, () => {
    const files = kept.map(({ path, before, after }) => ({
      path,
      before: before !== undefined,
      after: after !== undefined,
    }));
    const at = new Date(env.now()).toISOString();
    const entry = { run: nextRun(root), part: 1, at, what, kind: 'meanwhile' as const, files, undone: false };
    for (const change of kept) keepVersions(root, entry, change);
    writeEntry(root, entry);
    pruneHistory(root);
    return entry;
  });
}

function applyAll(root: string, first: HistoryEntry, changes: readonly FileChange[]): Applied {
  let entry = first;
  const written = new Map<string, Held | undefined>();
  const agreed = new Map<string, Held | undefined>();
  const merged: string[] = [];
  const conflicts: FileConflicts[] = [];
  for (const change of changes) {
    const result = applyOne(root, change, (before, next) => {
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

function applyOne(
  root: string,
  change: FileChange,
  keep: (before: Held | undefined, next: Held | undefined) => void,
): MergedFile & { readonly wrote: boolean } {
  // `insideProject` refuses a directory that is a link out of the project.
  insideProject(root, dirname(change.path));
  const file = insideProject(root, change.path);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const now = readSettled(file, change.before);
    const result = mergeFile(change, now);
    if (isSame(result.next, now)) return { ...result, wrote: false };
    keep(now, result.next);
    mkdirSync(dirname(file), { recursive: true });
    const [expected, next] = [bytesOf(now), bytesOf(result.next)];
    if (replaceFile(file, expected, next)) return { ...result, wrote: true };
  }
  throw new NibError(
    `${change.path} is saved again and again by another program. Close that, and try again.`,
  );
}

/**
 * Reads a file that may just be saved: editors that write in place empty it first. Other bytes than `known` count only when
 * two reads, 150 ms apart, give the same. Synchronous, since the caller holds the lock.
 */
function readSettled(file: string, known: Held | undefined): Held | undefined {
  let held = readHeld(file);
  for (let attempt = 1; attempt <= ATTEMPTS && !isSame(held, known); attempt += 1) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SETTLE_MS);
    const again = readHeld(file);
    if (isSame(held, again)) return again;
    held = again;
  }
  return held;
}

function bytesOf(held: Held | undefined): Buffer | undefined {
  if (held === undefined) return undefined;
  if (held.kind === 'file') return held.bytes;
  throw new NibError('Only files can be replaced, and no links or pipes.');
}

/** Both versions of each place, for a person to choose from. */
function formatConflicts(path: string, conflicts: readonly Conflict[]): string {
  const parts = conflicts.map(
    ({ mine, theirs }, at) =>
      `## Place ${at + 1}\n\nIn the scene:\n\n${quote(mine)}\n\nNot taken over:\n\n${quote(theirs)}\n`,
  );
  return `# ${path}\n\n${parts.join('\n')}`;
}

function quote(text: string): string {
  const shown = text.trim();
  return shown === '' ? '(nothing)' : shown.replace(/^/gm, '> ');
}
