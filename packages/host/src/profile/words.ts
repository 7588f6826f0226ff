import type { z } from 'zod';

/** The expected kind in plain words, for an `invalid_type` issue. */
const KINDS: Readonly<Record<string, string>> = {
  record: 'Expected a map.',
  object: 'Expected a map.',
  array: 'Expected a list.',
  boolean: 'Expected true or false.',
  number: 'Expected a number, without quotes or unit.',
  int: 'Expected a whole number, without quotes or unit.',
  string: 'Expected text; a number or a date is text in quotes.',
};

/** A plain sentence for a schema issue whose own message is written for programmers. */
export function plainWords(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type') return KINDS[issue.expected];
  if (issue.code !== 'too_small') return undefined;
  if (issue.origin === 'number' || issue.origin === 'int')
    return `Expected a number, ${issue.minimum} or more.`;
  return issue.minimum === 1 ? 'This must not be empty.' : undefined;
}
