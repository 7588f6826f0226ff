import { NibError } from '../failure.ts';

/** A whole number between bounds, from the command line. */
export function wholeNumber(text: string, what: string, [least, most]: readonly [number, number]): number {
  const number = /^\+?[0-9]+$/.test(text.trim()) ? Number(text.trim()) : Number.NaN;
  if (number >= least && number <= most) return number;
  const bounds = most < least ? 'there is nothing to choose from' : `give a number from ${least} to ${most}`;
  throw new NibError(`${what} ${text}: ${bounds}.`);
}
