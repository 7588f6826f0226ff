import { terminalText } from '@plugboard/protocol';
import type { Command } from 'commander';
import type { Env } from '../env.ts';
import { NibError } from '../failure.ts';
import { printColumns, printJson } from '../output.ts';
import { openProject } from '../project/project.ts';
import { printChanges } from '../proof/report.ts';
import { paintFor } from '../terminal/paint.ts';
import type { FileConflicts } from './apply.ts';
import { entryId, type HistoryEntry } from './entry.ts';
import { changesOf, readHistory } from './store.ts';

/** Lists the history, the newest first, or prints the changes of one run or part. */
export async function showHistory(
  env: Env,
  command: Command,
  id: string | undefined,
  json: boolean,
): Promise<void> {
  const { root } = await openProject(env.cwd);
  const history = readHistory(root).toReversed();
  const shown = id === undefined ? history : history.filter((entry) => isCalled(entry, id));
  if (id !== undefined && shown.length === 0)
    throw new NibError(`There is no ${id} in the history. nib ma history shows what there is.`);
  if (json)
    return printJson(
      env,
      command,
      shown.map((entry) => ({ id: entryId(entry), ...entry })),
    );
  printColumns(env, shown.map(rowOf));
  if (id !== undefined) for (const entry of shown) printChanges(env, changesOf(root, entry));
  if (shown.length === 0) env.err('There is no history yet: no proof has changed a file.\n');
}

/** Shows both versions of every place that was not taken over. */
export function tellConflicts(env: Env, files: readonly FileConflicts[]): void {
  const paint = paintFor(env, 'out');
  for (const { path, note, conflicts } of files) {
    for (const { mine, theirs } of conflicts) {
      env.out(
        paint.strong(
          `${terminalText(path)}: changed on both sides; the first stays, the second is not taken over\n`,
        ),
      );
      env.out(`${block(mine, '|', paint.removed)}${block(theirs, '>', paint.added)}`);
    }
    env.err(`Both versions of ${terminalText(path)} are side by side in ${note}.\n`);
  }
}

function block(text: string, sign: string, paint: (text: string) => string): string {
  const lines = text.trim() === '' ? ['(nothing)'] : text.trim().split('\n');
  return lines.map((line) => `${paint(`${sign} ${terminalText(line)}`)}\n`).join('');
}

function isCalled(entry: HistoryEntry, id: string): boolean {
  return entryId(entry) === id || String(entry.run) === id;
}

function rowOf(entry: HistoryEntry): readonly string[] {
  const files = entry.files.map(({ path }) => terminalText(path)).join(', ');
  const state = entry.undone ? 'undone' : entry.kind === 'meanwhile' ? 'by others' : '';
  return [entryId(entry), localTime(entry.at), state, terminalText(entry.what), files];
}

/** `2026-01-02 03:04` in the time zone of the person, which is the form of dates in Sweden. */
function localTime(at: string): string {
  return new Date(at).toLocaleString('sv-SE').slice(0, 16);
}
