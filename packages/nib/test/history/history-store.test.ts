import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import type { HistoryEntry } from '../../src/history/history-entry.ts';
import { keepVersions, pruneHistory, readHistory, writeEntry } from '../../src/history/history-store.ts';

const MIB = 1024 * 1024;

/** Adds a run with one changed file; the version after it has this many bytes. */
function addRun(root: string, run: number, bytes: number): void {
  const files = [{ path: 'scene.md', before: false, after: true }];
  const entry: HistoryEntry = {
    ...{ run, part: 1, files, undone: false },
    ...{ at: '2026-01-01T00:00:00.000Z', what: 'Proofreading', kind: 'proof' },
  };
  const after = { kind: 'file', bytes: Buffer.from('text'), mode: 0o644 } as const;
  keepVersions(root, entry, { path: 'scene.md', before: undefined, after });
  writeEntry(root, entry);
  const name = `${String(run).padStart(6, '0')}-001`;
  truncateSync(join(root, '.nib', 'history', name, 'after', 'scene.md'), bytes);
}

const runsOf = (root: string): number[] => readHistory(root).map(({ run }) => run);

it('the history keeps the newest runs within 64 MiB', () => {
  using directory = temporaryDirectory();
  for (const run of [1, 2, 3]) addRun(directory.path, run, 30 * MIB);
  pruneHistory(directory.path);
  expect(runsOf(directory.path)).toEqual([2, 3]);
});

it('the history keeps the newest run, however large it is', () => {
  using directory = temporaryDirectory();
  for (const run of [1, 2]) addRun(directory.path, run, 100 * MIB);
  pruneHistory(directory.path);
  expect(runsOf(directory.path)).toEqual([2]);
});
