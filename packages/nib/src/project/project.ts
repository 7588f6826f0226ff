import { statSync } from 'node:fs';
import { join } from 'node:path';
import { NibError } from '../failure.ts';
import { readIfThere } from '../files/read.ts';
import { type Change, commit, finishInterrupted } from '../files/transaction.ts';
import { type Book, readBook } from './book.ts';
import { type BookEdit, editBook } from './book-edit.ts';
import { withLock } from './lock.ts';
import { BOOK_FILE, findRoot } from './root.ts';
import { settle } from './settle.ts';

/** A project as it was read from its directory. */
export interface Project {
  readonly root: string;
  readonly book: Book;
  /** The text of book.yaml, which edits start from. */
  readonly bookText: string;
}

/** Opens the project around a directory to read it; a change that was cut short is finished or undone first. */
export async function openProject(cwd: string): Promise<Project> {
  const root = findRoot(cwd);
  await settle(root);
  return loadProject(root);
}

/** Reads the project while no other nib writes to it, and makes the changes it is answered with as one. */
export async function changeProject<T>(
  cwd: string,
  change: (project: Project) => Changed<T> | Promise<Changed<T>>,
): Promise<T> {
  const root = findRoot(cwd);
  return withLock(root, async () => {
    finishInterrupted(root);
    const { changes, result } = await change(loadProject(root));
    commit(root, changes);
    return result;
  });
}

/** What is to be changed, and what to tell when it has been. */
export interface Changed<T> {
  readonly changes: readonly Change[];
  readonly result: T;
}

/** The change that an edit makes to book.yaml, and the book as it will be. */
export function bookChange(
  project: Project,
  edit: BookEdit,
): { readonly change: Change; readonly book: Book } {
  const contents = editBook(project.bookText, bookFile(project.root), edit);
  return { change: { write: BOOK_FILE, contents }, book: parseBookOf(project.root, contents) };
}

function loadProject(root: string): Project {
  const file = bookFile(root);
  const bookText = readIfThere(file);
  if (bookText === undefined) throw new NibError(`${file} is gone.`);
  return { root, book: parseBookOf(root, bookText), bookText };
}

/** Reads a text as the project's book.yaml. */
export function parseBookOf(root: string, text: string): Book {
  return readBook(text, { root, file: bookFile(root), isDirectory });
}

function bookFile(root: string): string {
  return join(root, BOOK_FILE);
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
