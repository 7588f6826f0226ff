import { z } from 'zod';

/** Text; anything else is told in words that need no knowledge of types. */
export function text(): z.ZodString {
  return z.string('Expected text; put it in quotes.');
}

/** A number of any kind, within bounds. */
export function numberBetween(least: number, most: number): z.ZodNumber {
  const error = `Expected a number from ${least} to ${most}, without quotes or unit.`;
  return z.number({ error }).min(least, { error }).max(most, { error });
}

/** A number without a fraction, within bounds. */
export function wholeBetween(least: number, most: number): z.ZodInt {
  const error = `Expected a whole number from ${least} to ${most}, without quotes or unit.`;
  return z.int({ error }).min(least, { error }).max(most, { error });
}

/** One word of a few. */
export function oneOf<const T extends readonly [string, string, ...string[]]>(
  words: T,
): z.ZodEnum<{ [W in T[number]]: W }> {
  const others = words.slice(0, -1).join(', ');
  return z.enum(words, { error: `Expected ${others} or ${words.at(-1)}.` });
}
