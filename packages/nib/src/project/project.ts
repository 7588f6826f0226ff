import { statSync } from 'node:fs';
import { join } from 'node:path';
import { readIfThere } from '../files/read-file.ts';
import { type Change, commitChanges, finishInterrupted } from '../files/transaction.ts';
import { NibError } from '../nib-error.ts';
import { type Book, readBook } from './book.ts';
import { type BookEdit, editBook } from './book-edit.ts';
import { withLock } from './lock.ts';
import { BOOK_FILE, findRoot } from './project-root.ts';
import { recoverProject } from './recover-project.ts';

/** A project as read from its directory. */
export interface Project {
  readonly root: string;
  readonly book: Book;
  /** The text of book.yaml, the base of edits. */
  readonly bookText: string;
}

/** Opens the project around `cwd` for reading; an interrupted change is finished or undone first. */
export async function openProject(cwd: string): Promise<Project> {
  const root = findRoot(cwd);
  await recoverProject(root);
  return loadProject(root);
}

/** Locks the project, reads it, and commits the changes that `change` returns as one. */
export async function changeProject<T>(
  cwd: string,
  change: (project: Project) => ProjectChange<T> | Promise<ProjectChange<T>>,
): Promise<T> {
  const root = findRoot(cwd);
  return withLock(root, async () => {
    finishInterrupted(root);
    const { changes, result } = await change(loadProject(root));
    commitChanges(root, changes);
    return result;
  });
}

/** The changes to commit, and the result to return afterwards. */
export interface ProjectChange<T> {
  readonly changes: readonly Change[];
  readonly result: T;
}

/** The change that an edit makes to book.yaml, and the resulting book. */
export function createBookChange(
  project: Project,
  edit: BookEdit,
): { readonly change: Change; readonly book: Book } {
  const contents = editBook(project.bookText, getBookPath(project.root), edit);
  return { change: { write: BOOK_FILE, contents }, book: parseProjectBook(project.root, contents) };
}

function loadProject(root: string): Project {
  const file = getBookPath(root);
  const bookText = readIfThere(file);
  if (bookText === undefined) throw new NibError(`${file} is gone.`);
  return { root, book: parseProjectBook(root, bookText), bookText };
}

/** Parses a text as the project's book.yaml. */
export function parseProjectBook(root: string, text: string): Book {
  return readBook(text, { root, file: getBookPath(root), isDirectory });
}

function getBookPath(root: string): string {
  return join(root, BOOK_FILE);
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
