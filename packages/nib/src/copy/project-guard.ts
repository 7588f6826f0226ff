import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Env } from '../env.ts';
import { NibError } from '../failure.ts';
import type { FileChange } from '../files/changes.ts';
import { type Held, isSame, readHeld } from '../files/snapshot.ts';
import { recordChanges, SETTLE_MS } from '../history/apply.ts';
import { allScenes } from '../project/book.ts';
import { parseBookOf } from '../project/project.ts';
import { BOOK_FILE } from '../project/root.ts';
import { namesOf, putBackFiles } from '../proof/report.ts';
import { TABLES } from '../storydb/columns.ts';
import { tablePath } from '../storydb/story.ts';
import type { ProjectWatch } from './project-copy.ts';

/** A project at which a backend works, in a copy or in the project itself. */
export interface Guarded {
  readonly env: Env;
  readonly root: string;
  readonly copy: ProjectWatch;
}

const TABLE_PATHS: ReadonlySet<string> = new Set(TABLES.map(tablePath));

/**
 * Looks for changes in the project itself while a backend worked on the copy. A backend that writes there cannot be told
 * from the author who saves, with two exceptions: a file of the book that is suddenly gone, blank or no file, and a file
 * with the very bytes that the backend wrote to its copy. These are put back, which destroys no words, and are returned. All
 * else stays, is named, and is kept in the history.
 */
export async function guardProject(
  work: Guarded,
  written: ReadonlyMap<string, Held | undefined> = new Map(),
): Promise<readonly FileChange[]> {
  const changes = await settledChanges(work, written);
  if (changes.length === 0) return [];
  const copied = new Map(work.copy.changes().map(({ path, after }) => [path, after]));
  const isCopied = ({ path, after }: FileChange): boolean =>
    copied.has(path) && isSame(copied.get(path), after);
  // book.yaml returns first: it says which scenes there are.
  const books = changes.filter((change) => change.path === BOOK_FILE && isBroken(change));
  putBackFiles(work, books);
  const listed = listedPaths(work);
  const others = changes.filter((change) => !books.includes(change));
  const damaged = others.filter((one) => isCopied(one) || (listed.has(one.path) && isBroken(one)));
  putBackFiles(work, damaged);
  await tellMeanwhile(
    work,
    others.filter((one) => !damaged.includes(one) && !TABLE_PATHS.has(one.path)),
  );
  return [...books, ...damaged];
}

/** Looks twice at a file that is blank or gone: editors that save in place empty it first. */
async function settledChanges(
  { copy }: Guarded,
  written: ReadonlyMap<string, Held | undefined>,
): Promise<readonly FileChange[]> {
  const changes = copy.projectChanges(written);
  if (!changes.some(isBroken)) return changes;
  await sleep(SETTLE_MS);
  return copy.projectChanges(written);
}

/** Guards the project after a request that failed for another reason, which is told last. */
export async function guardAfterFailure(
  work: Guarded,
  written?: ReadonlyMap<string, Held | undefined>,
): Promise<void> {
  const damaged = await guardProject(work, written);
  if (damaged.length > 0) work.env.err(`${projectDamage(damaged).message}\n`);
}

/** The failure that a backend's writing to the project itself is. */
export function projectDamage(damaged: readonly FileChange[]): NibError {
  return new NibError(
    `While the backend worked, ${namesOf(damaged)} in the project itself was removed, emptied or overwritten. It was put back.`,
  );
}

/** Saving never leaves this behind: no file, or one without a word where words were. */
function isBroken({ before, after }: FileChange): boolean {
  return isWritten(before) && !isWritten(after);
}

function isWritten(held: Held | undefined): boolean {
  if (held?.kind === 'seen') return held.size > 0;
  return held?.kind === 'file' && held.bytes.some((byte) => byte > 0x20);
}

/** The files that make up the book as book.yaml has it now: a scene that was removed by nib is no longer among them. */
function listedPaths({ root, copy }: Guarded): ReadonlySet<string> {
  const before = copy.base().get(BOOK_FILE);
  const scenes = scenesIn(root, readHeld(join(root, BOOK_FILE))) ?? scenesIn(root, before) ?? [];
  return new Set([...scenes, ...TABLE_PATHS]);
}

/** The scenes' paths; undefined when book.yaml cannot be read, as while the author edits it. */
function scenesIn(root: string, held: Held | undefined): readonly string[] | undefined {
  if (held?.kind !== 'file') return undefined;
  try {
    return allScenes(parseBookOf(root, held.bytes.toString('utf8'))).map(({ path }) => path);
  } catch (error) {
    if (error instanceof NibError) return undefined;
    throw error;
  }
}

async function tellMeanwhile({ env, root, copy }: Guarded, changes: readonly FileChange[]): Promise<void> {
  if (changes.length === 0) return;
  copy.accept(changes);
  const entry = await recordChanges(env, root, 'Saved while a backend worked', changes);
  const undo = entry === undefined ? '' : ` If that was not you: nib ma undo ${entry.run}.`;
  env.err(`Saved meanwhile, and kept: ${namesOf(changes)}.${undo}\n`);
}
