import type { Env } from '../env.ts';
import type { FileChange } from '../files/file-changes.ts';
import { NibError } from '../nib-error.ts';
import { formatCount } from '../output.ts';
import { openProject } from '../project/project.ts';
import { formatPaths, printChanges } from '../proof/print-changes.ts';
import { type Applied, applyChanges } from './apply-changes.ts';
import { formatEntryId, type HistoryEntry } from './history-entry.ts';
import { printConflicts } from './history-report.ts';
import { readChanges, readHistory, writeEntry } from './history-store.ts';

/** Reverses the last run, or a named run or part. Later edits of the author stay: they are merged. */
export async function undoRun(env: Env, id: string | undefined): Promise<void> {
  const { root } = await openProject(env.cwd);
  const history = readHistory(root);
  const entries = id === undefined ? findLastRun(history) : findEntries(history, id);
  let run: number | undefined;
  let conflicts = 0;
  let wrote = 0;
  for (const [at, entry] of entries.toReversed().entries()) {
    const what = `Undo of ${formatEntryId(entry)}: ${entry.what}`;
    const head = { run, part: at + 1, what, kind: 'undo' as const, undoes: [formatEntryId(entry)] };
    const changes = readChanges(root, entry).map(reverseChange);
    const applied = await applyChanges(env, root, head, changes);
    run = applied.entry.run;
    conflicts += applied.conflicts.length;
    wrote += applied.written.size;
    markUndone(root, entry);
    reportUndo(env, applied, changes);
  }
  if (wrote > 0) env.err(`nib ma undo ${run} takes this back again.\n`);
  if (conflicts > 0)
    throw new NibError(`${formatCount(conflicts, 'file')} could not be put back everywhere; see above.`);
}

/** The entries of the last `proof` run that is not undone; a `meanwhile` entry is undone by its id only. */
function findLastRun(history: readonly HistoryEntry[]): readonly HistoryEntry[] {
  const open = history.filter(({ kind, undone }) => kind === 'proof' && !undone);
  const last = open.at(-1);
  if (last === undefined) throw new NibError('There is nothing to undo: no proof has changed a file.');
  return open.filter(({ run }) => run === last.run);
}

function findEntries(history: readonly HistoryEntry[], id: string): readonly HistoryEntry[] {
  const found = history.filter((entry) => formatEntryId(entry) === id || String(entry.run) === id);
  if (found.length === 0)
    throw new NibError(`There is no ${id} in the history. nib ma history shows what there is.`);
  const open = found.filter(({ undone }) => !undone);
  if (open.length === 0) throw new NibError(`${id} was undone already.`);
  return open;
}

function reverseChange({ path, before, after }: FileChange): FileChange {
  return { path, before: after, after: before };
}

/** If the entry is an `undo` itself, its `undoes` entries are in force again. */
function markUndone(root: string, entry: HistoryEntry): void {
  writeEntry(root, { ...entry, undone: true });
  const again = readHistory(root).filter((one) => entry.undoes?.includes(formatEntryId(one)));
  for (const one of again) writeEntry(root, { ...one, undone: false });
}

function reportUndo(env: Env, { written, merged, conflicts }: Applied, changes: readonly FileChange[]): void {
  const done = changes.filter(({ path }) => written.has(path));
  printChanges(env, done);
  const names = formatPaths(done);
  if (done.length > 0) env.err(`${formatCount(done.length, 'file')} put back: ${names}.\n`);
  else if (conflicts.length === 0) env.err('All of it is as it was before already.\n');
  if (merged.length > 0)
    env.err(`What was written since then stays in ${formatPaths(merged.map((path) => ({ path })))}.\n`);
  printConflicts(env, conflicts);
}
