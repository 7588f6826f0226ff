import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { NibError } from '../failure.ts';
import { insideProject } from '../files/inside.ts';
import { readIfThere } from '../files/read.ts';
import { type Change, isHalfMade } from '../files/transaction.ts';
import { TABLES, type TableName } from './columns.ts';
import { emptyTable, formatTable, parseTable, type Table } from './table.ts';

/** The story database: what is known of the scenes that were indexed. */
export type Story = { readonly [N in TableName]: Table<N> };

/** How often, and after how long, a reader starts again because somebody writes. */
const ATTEMPTS = 100;
const PAUSE_MS = 20;

/** Reads all five files as they were at one moment; a file that is missing has no rows. */
export function readStory(root: string): Story {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const before = versions(root);
    const story = {
      scenes: read(root, 'scenes'),
      facts: read(root, 'facts'),
      scene_characters: read(root, 'scene_characters'),
      locations: read(root, 'locations'),
      timeline: read(root, 'timeline'),
    };
    if (!isHalfMade(root) && versions(root) === before) return story;
    // A change takes some milliseconds; reading stays synchronous, so that it can be done while the lock is held.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
  throw new NibError(`The story database in ${root} is being written by another nib. Try again in a moment.`);
}

function read<N extends TableName>(root: string, name: N): Table<N> {
  const path = tablePath(name);
  const text = readIfThere(insideProject(root, path));
  return text === undefined ? emptyTable(name) : parseTable(name, text, path);
}

/** The changes that bring the files from one state of the story to another; missing files are made. */
export function storyChanges(root: string, before: Story, after: Story): readonly Change[] {
  return TABLES.filter(
    (name) => before[name] !== after[name] || !existsSync(join(root, tablePath(name))),
  ).map((name): Change => ({ write: tablePath(name), contents: formatTable(after[name]) }));
}

/** A table's file, relative to the project's root. */
export function tablePath(name: TableName): string {
  return join('storydb', `${name}.csv`);
}

function versions(root: string): string {
  return TABLES.map((name) => {
    const stat = statSync(join(root, tablePath(name)), { throwIfNoEntry: false });
    return `${stat?.ino}:${stat?.mtimeMs}:${stat?.size}`;
  }).join(' ');
}
