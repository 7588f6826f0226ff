import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { NibError } from '../failure.ts';

/** The file that makes a directory a project. */
export const BOOK_FILE = 'book.yaml';

/** The project around a directory, if it is in one. Links on the way are kept as they were written. */
export function rootAround(cwd: string): string | undefined {
  for (let here = cwd; ; here = dirname(here)) {
    if (statSync(join(here, BOOK_FILE), { throwIfNoEntry: false })?.isFile()) return here;
    if (dirname(here) === here) return undefined;
  }
}

/** The nearest directory with a book.yaml, from here upwards. */
export function findRoot(cwd: string): string {
  const root = rootAround(cwd);
  if (root !== undefined) return root;
  throw new NibError(
    `There is no ${BOOK_FILE} in ${cwd} or above it. Go to a project's directory, or make one with nib init NAME.`,
  );
}
