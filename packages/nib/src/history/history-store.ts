import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeAtomic } from '../files/atomic-write.ts';
import type { FileChange } from '../files/file-changes.ts';
import { isBelow } from '../files/project-path.ts';
import { readIfThere } from '../files/read-file.ts';
import { type FileState, takeSnapshot, writeFileState } from '../files/snapshot.ts';
import { getErrorCode, NibError } from '../nib-error.ts';
import { formatEntryId, type HistoryEntry, isHistoryEntry } from './history-entry.ts';

const DIRECTORY = join('.nib', 'history');
const ENTRY = 'entry.json';

/** Limits of `pruneHistory`: 200 entries and 64 MiB. The newest run always stays. */
const MOST_ENTRIES = 200;
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * All entries, the oldest first. A directory without a readable `entry.json` is skipped: nib died before it changed a
 * file.
 */
export function readHistory(root: string): readonly HistoryEntry[] {
  return listEntryNames(root).flatMap((name) => {
    const entry = readEntry(join(root, DIRECTORY, name, ENTRY));
    return entry === undefined ? [] : [entry];
  });
}

/** The number of the next run. */
export function findNextRun(root: string): number {
  return Math.max(0, ...listEntryNames(root).map((name) => Number(name.split('-')[0]) || 0)) + 1;
}

/** The directory of an entry, relative to the project's root. */
function getEntryPath({ run, part }: Pick<HistoryEntry, 'run' | 'part'>): string {
  return join(DIRECTORY, `${String(run).padStart(6, '0')}-${String(part).padStart(3, '0')}`);
}

/** Adds or rewrites an entry. `keepVersions` must have written its files. */
export function writeEntry(root: string, entry: HistoryEntry): void {
  const file = join(root, getEntryPath(entry), ENTRY);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeAtomic(file, `${JSON.stringify(entry, undefined, 2)}\n`);
}

/** Stores both versions of a file with its entry. */
export function keepVersions(root: string, entry: HistoryEntry, { path, before, after }: FileChange): void {
  for (const [side, state] of [
    ['before', before],
    ['after', after],
  ] as const) {
    const file = join(getVersionsPath(root, entry, side), path);
    rmSync(file, { recursive: true, force: true });
    if (state !== undefined) writeFileState(file, state);
  }
}

/** The changes of an entry, from its stored versions. */
export function readChanges(root: string, entry: HistoryEntry): readonly FileChange[] {
  const paths = entry.files.map(({ path }) => path);
  const before = takeSnapshot(getVersionsPath(root, entry, 'before'), paths);
  const after = takeSnapshot(getVersionsPath(root, entry, 'after'), paths);
  return entry.files.map((file): FileChange => {
    const [old, fresh] = [before.get(file.path), after.get(file.path)];
    requireVersion(entry, file.before, old);
    requireVersion(entry, file.after, fresh);
    return { path: file.path, before: old, after: fresh };
  });
}

/** Writes the conflicts of a file beside its entry; returns the path relative to the root. */
export function writeNote(root: string, entry: HistoryEntry, path: string, text: string): string {
  const note = join(getEntryPath(entry), 'conflicts', path);
  if (!isBelow(join(root, getEntryPath(entry)), join(root, note)))
    throw new NibError(`${path} leads out of the project.`);
  mkdirSync(dirname(join(root, note)), { recursive: true });
  writeAtomic(join(root, note), text);
  return note;
}

/** Deletes the oldest runs beyond `MOST_ENTRIES` and `MOST_BYTES`. */
export function pruneHistory(root: string): void {
  const runs = new Map<string, { entries: number; bytes: number }>();
  for (const name of listEntryNames(root).toReversed()) {
    const run = name.split('-')[0] ?? '';
    const known = runs.get(run) ?? { entries: 0, bytes: 0 };
    runs.set(run, {
      entries: known.entries + 1,
      bytes: known.bytes + measureBytes(join(root, DIRECTORY, name)),
    });
  }
  const kept = { entries: 0, bytes: 0 };
  for (const [run, { entries, bytes }] of runs) {
    const isFirst = kept.entries === 0;
    kept.entries += entries;
    kept.bytes += bytes;
    if (isFirst || (kept.entries <= MOST_ENTRIES && kept.bytes <= MOST_BYTES)) continue;
    for (const name of listEntryNames(root).filter((one) => one.startsWith(`${run}-`)))
      rmSync(join(root, DIRECTORY, name), { recursive: true, force: true });
  }
}

function requireVersion(entry: HistoryEntry, expected: boolean, state: FileState | undefined): void {
  if (expected === (state !== undefined)) return;
  throw new NibError(
    `The history of ${formatEntryId(entry)} is not complete: files are missing in ${getEntryPath(entry)}.`,
  );
}

function getVersionsPath(root: string, entry: HistoryEntry, side: 'before' | 'after'): string {
  return join(root, getEntryPath(entry), side);
}

function readEntry(file: string): HistoryEntry | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const value: unknown = JSON.parse(readIfThere(file) ?? '');
    return isHistoryEntry(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function listEntryNames(root: string): readonly string[] {
  try {
    return readdirSync(join(root, DIRECTORY))
      .filter((name) => /^\d{6,}-\d{3,}$/.test(name))
      .sort();
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

function measureBytes(directory: string): number {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return names.reduce(
    (sum, name) => sum + (statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}
