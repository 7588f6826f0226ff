import { StoreError } from '@plugboard/store';
import { Problem } from './problem.ts';

/** Reads pages of rows, and filters them by what the principal may see. */
interface Listing<Before, One extends Before> {
  readonly limit: number;
  /** Last row of the previous page. */
  readonly before: Before | undefined;
  read(before: Before | undefined): Promise<readonly One[]>;
  may(one: One): boolean | Promise<boolean>;
}

interface FullPage<Before, One> {
  readonly found: readonly One[];
  /** Cursor of the next page; undefined at the end. */
  readonly last: Before | undefined;
}

/** Most rows that one page may skip because `may` refuses them. It bounds the time of a request. */
const MOST_PASSED = 5_000;

/** Reads pages of the store until `limit` rows pass `may`. */
export async function fullPage<Before, One extends Before>(
  listing: Listing<Before, One>,
): Promise<FullPage<Before, One>> {
  const { limit } = listing;
  const found: One[] = [];
  let { before } = listing;
  for (let passed = 0; passed < MOST_PASSED; passed += limit) {
    const page = await listing.read(before);
    for (const one of page) {
      before = one;
      if (await listing.may(one)) found.push(one);
      if (found.length === limit) return { found, last: one };
    }
    if (page.length < limit) return { found, last: undefined };
  }
  return { found, last: before };
}

/** The error for a cursor that the gateway did not make. */
export function noCursor(): Problem {
  return new Problem('invalid', 'This is no cursor of ours.');
}

/** Translates `not-found` of the store into `noCursor`. */
export function cursorProblem(error: unknown): unknown {
  return error instanceof StoreError && error.code === 'not-found' ? noCursor() : error;
}
