import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Env } from '../env.ts';
import type { FileChange } from '../files/file-changes.ts';
import { type FileState, forgetOther, isSame, readFileState } from '../files/snapshot.ts';
import { recordChanges, SETTLE_MS } from '../history/apply-changes.ts';
import { NibError } from '../nib-error.ts';
import { listScenes } from '../project/book.ts';
import { parseProjectBook } from '../project/project.ts';
import { BOOK_FILE } from '../project/project-root.ts';
import { formatPaths, restoreFiles } from '../proof/print-changes.ts';
import { TABLES } from '../storydb/columns.ts';
import { getTablePath } from '../storydb/story.ts';
import type { ProjectWatch } from './project-copy.ts';

/** A project while a backend works on it, or on a copy of it. */
export interface GuardedProject {
  readonly env: Env;
  readonly root: string;
  readonly copy: ProjectWatch;
}

const TABLE_PATHS: ReadonlySet<string> = new Set(TABLES.map(getTablePath));

/**
 * Finds changes to the project itself while a backend worked on the copy. nib cannot tell a backend that writes there
 * from the author who saves, with two exceptions: a file of the book that was deleted, emptied or replaced by a
 * directory, and a file with the same bytes that the backend wrote to its copy. These are restored, which loses no
 * words, and returned. All other changes stay, are listed on stderr, and are recorded in the history.
 */
export async function guardProject(
  work: GuardedProject,
  written: ReadonlyMap<string, FileState | undefined> = new Map(),
): Promise<readonly FileChange[]> {
  const changes = await readSettledChanges(work, written);
  if (changes.length === 0) return [];
  const copied = new Map(work.copy.changes().map(({ path, after }) => [path, after]));
  const isCopied = ({ path, after }: FileChange): boolean =>
    copied.has(path) && isSame(forgetOther(copied.get(path)), forgetOther(after));
  // `book.yaml` is restored first: it lists the scenes.
  const books = changes.filter((change) => change.path === BOOK_FILE && isBroken(change));
  restoreFiles(work, books);
  const listed = listBookPaths(work);
  const others = changes.filter((change) => !books.includes(change));
  const damaged = others.filter((one) => isCopied(one) || (listed.has(one.path) && isBroken(one)));
  restoreFiles(work, damaged);
  await reportMeanwhile(
    work,
    others.filter((one) => !damaged.includes(one) && !TABLE_PATHS.has(one.path)),
  );
  return [...books, ...damaged];
}

/** Reads an empty or missing file twice, `SETTLE_MS` apart: editors that save in place empty it first. */
async function readSettledChanges(
  { copy }: GuardedProject,
  written: ReadonlyMap<string, FileState | undefined>,
): Promise<readonly FileChange[]> {
  const changes = copy.projectChanges(written);
  if (!changes.some(isBroken)) return changes;
  await sleep(SETTLE_MS);
  return copy.projectChanges(written);
}

/** Guards the project after a request that failed for another reason; the caller throws that error afterwards. */
export async function guardAfterFailure(
  work: GuardedProject,
  written?: ReadonlyMap<string, FileState | undefined>,
): Promise<void> {
  const damaged = await guardProject(work, written);
  if (damaged.length > 0) work.env.err(`${createDamageError(damaged).message}\n`);
}

/** The error for damage to the project itself. */
export function createDamageError(damaged: readonly FileChange[]): NibError {
  return new NibError(
    `While the backend worked, ${formatPaths(damaged)} in the project itself was removed, emptied or overwritten. It was put back.`,
  );
}

/** A save does not remove a file, and does not empty a file with words in it. */
function isBroken({ before, after }: FileChange): boolean {
  return hasWords(before) && !hasWords(after);
}

function hasWords(state: FileState | undefined): boolean {
  if (state?.kind === 'seen') return state.size > 0;
  return state?.kind === 'file' && state.bytes.some((byte) => byte > 0x20);
}

/** The files of the book by the current `book.yaml`: scenes removed with nib are not among them. */
function listBookPaths({ root, copy }: GuardedProject): ReadonlySet<string> {
  const before = copy.base().get(BOOK_FILE);
  const scenes =
    parseScenePaths(root, readFileState(join(root, BOOK_FILE))) ?? parseScenePaths(root, before) ?? [];
  return new Set([...scenes, ...TABLE_PATHS]);
}

/** The paths of the scenes; undefined when `book.yaml` is invalid, as during an edit by the author. */
function parseScenePaths(root: string, state: FileState | undefined): readonly string[] | undefined {
  if (state?.kind !== 'file') return undefined;
  try {
    return listScenes(parseProjectBook(root, state.bytes.toString('utf8'))).map(({ path }) => path);
  } catch (error) {
    if (error instanceof NibError) return undefined;
    throw error;
  }
}

async function reportMeanwhile(
  { env, root, copy }: GuardedProject,
  changes: readonly FileChange[],
): Promise<void> {
  if (changes.length === 0) return;
  copy.accept(changes);
  const entry = await recordChanges(env, root, 'Saved while a backend worked', changes);
  const undo = entry === undefined ? '' : ` If that was not you: nib ma undo ${entry.run}.`;
  env.err(`Saved meanwhile, and kept: ${formatPaths(changes)}.${undo}\n`);
}
