import type { z } from 'zod';

/** Number of mistakes that are described; further ones are only counted. */
const MOST_NAMED = 3;

/** A name or value that a client sent is cut to this number of characters. */
const LONGEST_NAME = 40;

type Issue = z.core.$ZodIssue;

/** Describes at most `MOST_NAMED` issues of a request. */
export function describeInvalid(what: 'query' | 'body', { issues }: z.ZodError): string {
  const named = issues.slice(0, MOST_NAMED).map(describeIssue);
  const others = issues.length - named.length;
  const rest =
    others > 0 ? [`There ${others === 1 ? 'is one other mistake' : `are ${others} other mistakes`}.`] : [];
  return [`The ${what} is not right.`, ...named, ...rest].join(' ');
}

function describeIssue(issue: Issue): string {
  const field = issue.path.length === 0 ? 'It' : `"${cutText(issue.path.map(String).join('.'))}"`;
  if (issue.code === 'unrecognized_keys') return describeUnknown(issue.keys, issue.path);
  return `${field} ${demandOf(issue)}.`;
}

function describeUnknown(keys: readonly string[], path: Issue['path']): string {
  const where = path.length === 0 ? '' : ` in "${cutText(path.map(String).join('.'))}"`;
  const named = keys.slice(0, MOST_NAMED).map((key) => `"${cutText(key)}"`);
  const others = keys.length - named.length;
  const rest = others > 0 ? ` and ${others} others` : '';
  return `There is no field ${named.join(', ')}${rest}${where}.`;
}

/** The demand of an issue, as it follows the name of a field: `must be a text`. */
export function demandOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined && issue.message.endsWith('undefined')
        ? 'is missing'
        : `must be ${KINDS[issue.expected] ?? `of the type ${issue.expected}`}`;
    case 'too_small':
      return `must ${limitOf(issue.origin)} at least ${issue.minimum}${unitOf(issue.origin)}`;
    case 'too_big':
      return `must ${limitOf(issue.origin)} at most ${issue.maximum}${unitOf(issue.origin)}`;
    case 'invalid_value':
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
    case 'invalid_format':
      return 'does not have the form that is expected';
    case 'invalid_union':
      return 'is none of the kinds that are expected';
    default:
      return `is not right: ${cutText(issue.message.replace(/\.$/, ''), 200)}`;
  }
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

function limitOf(origin: string): string {
  return origin === 'string' || origin === 'array' || origin === 'set' ? 'have' : 'be';
}

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters';
  return origin === 'array' || origin === 'set' ? ' entries' : '';
}

function cutText(text: string, longest = LONGEST_NAME): string {
  return text.length > longest ? `${text.slice(0, longest).toWellFormed()}…` : text;
}
