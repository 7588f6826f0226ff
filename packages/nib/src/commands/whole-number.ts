import { NibError } from '../nib-error.ts';

/** Parses a whole number with bounds. `most` is 0 in a book without chapters. */
export function parseWholeNumber(
  text: string,
  what: string,
  [least, most]: readonly [number, number],
): number {
  const number = /^\+?[0-9]+$/.test(text.trim()) ? Number(text.trim()) : Number.NaN;
  if (number >= least && number <= most) return number;
  if (most < least) throw new NibError('The book has no chapters yet. Add one with nib ch add.');
  throw new NibError(`${what} ${text}: give a number from ${least} to ${most}.`);
}
