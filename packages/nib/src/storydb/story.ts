import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { resolveInProject } from '../files/project-path.ts';
import { readIfThere } from '../files/read-file.ts';
import { type Change, isHalfCommitted } from '../files/transaction.ts';
import { NibError } from '../nib-error.ts';
import { TABLES, type TableName } from './columns.ts';
import { createEmptyTable, formatTable, parseTable, type Table } from './table.ts';

/** The story database: the index data of all indexed scenes. */
export type Story = { readonly [N in TableName]: Table<N> };

/** How often, and after which pause, a read is repeated because another nib writes. */
const ATTEMPTS = 100;
const PAUSE_MS = 20;

/** Reads all `TABLES` in one consistent state; a missing file has no rows. */
export function readStory(root: string): Story {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const before = readVersions(root);
    const story = {
      scenes: readTable(root, 'scenes'),
      facts: readTable(root, 'facts'),
      scene_characters: readTable(root, 'scene_characters'),
      locations: readTable(root, 'locations'),
      timeline: readTable(root, 'timeline'),
    };
    if (!isHalfCommitted(root) && readVersions(root) === before) return story;
    // A commit takes some milliseconds. The wait is synchronous, because callers read while they hold the lock.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
  throw new NibError(`The story database in ${root} is being written by another nib. Try again in a moment.`);
}

function readTable<N extends TableName>(root: string, name: N): Table<N> {
  const path = getTablePath(name);
  const text = readIfThere(resolveInProject(root, path));
  return text === undefined ? createEmptyTable(name) : parseTable(name, text, path);
}

/** The changes to the files from one state of the story to another; missing files are created. */
export function createStoryChanges(root: string, before: Story, after: Story): readonly Change[] {
  return TABLES.filter(
    (name) => before[name] !== after[name] || !existsSync(join(root, getTablePath(name))),
  ).map((name): Change => ({ write: getTablePath(name), contents: formatTable(after[name]) }));
}

/** A table's file, relative to the project's root. */
export function getTablePath(name: TableName): string {
  return join('storydb', `${name}.csv`);
}

function readVersions(root: string): string {
  return TABLES.map((name) => {
    const stat = statSync(join(root, getTablePath(name)), { throwIfNoEntry: false });
    return `${stat?.ino}:${stat?.mtimeMs}:${stat?.size}`;
  }).join(' ');
}
