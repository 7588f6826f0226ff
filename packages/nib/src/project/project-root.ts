import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { NibError } from '../nib-error.ts';

/** The file that makes a directory a project. */
export const BOOK_FILE = 'book.yaml';

/**
 * The nearest directory with `BOOK_FILE`, from `cwd` upwards; undefined outside of a project. Links in the path are not
 * resolved.
 */
export function findRootIfAny(cwd: string): string | undefined {
  for (let here = cwd; ; here = dirname(here)) {
    if (statSync(join(here, BOOK_FILE), { throwIfNoEntry: false })?.isFile()) return here;
    if (dirname(here) === here) return undefined;
  }
}

/** The nearest directory with `BOOK_FILE`, from `cwd` upwards; throws outside of a project. */
export function findRoot(cwd: string): string {
  const root = findRootIfAny(cwd);
  if (root !== undefined) return root;
  throw new NibError(
    `There is no ${BOOK_FILE} in ${cwd} or above it. Go to a project's directory, or make one with nib init NAME.`,
  );
}
