import { z } from 'zod';

/** A string; the error avoids names of types. */
export function text(): z.ZodString {
  return z.string('Expected text; put it in quotes.');
}

/** A number within `least` and `most`. */
export function numberBetween(least: number, most: number): z.ZodNumber {
  const error = `Expected a number from ${least} to ${most}, without quotes or unit.`;
  return z.number({ error }).min(least, { error }).max(most, { error });
}

/** An integer within `least` and `most`. */
export function wholeBetween(least: number, most: number): z.ZodInt {
  const error = `Expected a whole number from ${least} to ${most}, without quotes or unit.`;
  return z.int({ error }).min(least, { error }).max(most, { error });
}

/** An enum of `words`. */
export function oneOf<const T extends readonly [string, string, ...string[]]>(
  words: T,
): z.ZodEnum<{ [W in T[number]]: W }> {
  const others = words.slice(0, -1).join(', ');
  return z.enum(words, { error: `Expected ${others} or ${words.at(-1)}.` });
}
