import { terminalText } from '@plugboard/protocol';
import type { Command } from 'commander';
import type { Env } from '../env.ts';
import { NibError } from '../nib-error.ts';
import { printColumns, printJson } from '../output.ts';
import { openProject } from '../project/project.ts';
import { printChanges } from '../proof/print-changes.ts';
import { createColours } from '../terminal/colours.ts';
import type { FileConflicts } from './apply-changes.ts';
import { formatEntryId, type HistoryEntry } from './history-entry.ts';
import { readChanges, readHistory } from './history-store.ts';

/** Lists the history, the newest first, or prints the changes of one run or part. */
export async function showHistory(
  env: Env,
  command: Command,
  id: string | undefined,
  json: boolean,
): Promise<void> {
  const { root } = await openProject(env.cwd);
  const history = readHistory(root).toReversed();
  const shown = id === undefined ? history : history.filter((entry) => hasId(entry, id));
  if (id !== undefined && shown.length === 0)
    throw new NibError(`There is no ${id} in the history. nib ma history shows what there is.`);
  if (json)
    return printJson(
      env,
      command,
      shown.map((entry) => ({ id: formatEntryId(entry), ...entry })),
    );
  printColumns(env, shown.map(formatRow));
  if (id !== undefined) for (const entry of shown) printChanges(env, readChanges(root, entry));
  if (shown.length === 0) env.err('There is no history yet: no proof has changed a file.\n');
}

/** Prints both versions of every conflict. */
export function printConflicts(env: Env, files: readonly FileConflicts[]): void {
  const colours = createColours(env, 'out');
  for (const { path, note, conflicts } of files) {
    for (const { mine, theirs } of conflicts) {
      env.out(
        colours.strong(
          `${terminalText(path)}: changed on both sides; the first stays, the second is not taken over\n`,
        ),
      );
      env.out(`${formatBlock(mine, '|', colours.removed)}${formatBlock(theirs, '>', colours.added)}`);
    }
    env.err(`Both versions of ${terminalText(path)} are side by side in ${note}.\n`);
  }
}

function formatBlock(text: string, sign: string, colour: (text: string) => string): string {
  const lines = text.trim() === '' ? ['(nothing)'] : text.trim().split('\n');
  return lines.map((line) => `${colour(`${sign} ${terminalText(line)}`)}\n`).join('');
}

function hasId(entry: HistoryEntry, id: string): boolean {
  return formatEntryId(entry) === id || String(entry.run) === id;
}

function formatRow(entry: HistoryEntry): readonly string[] {
  const files = entry.files.map(({ path }) => terminalText(path)).join(', ');
  const state = entry.undone ? 'undone' : entry.kind === 'meanwhile' ? 'by others' : '';
  return [formatEntryId(entry), formatLocalTime(entry.at), state, terminalText(entry.what), files];
}

/** Formats `2026-01-02 03:04` in the person's time zone; the locale sv-SE has that form. */
function formatLocalTime(at: string): string {
  return new Date(at).toLocaleString('sv-SE').slice(0, 16);
}
