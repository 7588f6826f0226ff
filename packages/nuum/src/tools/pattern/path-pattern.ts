import { matchesAll, type Terms } from './match.ts';
import { compileWildcard, matchesWildcard, type Wildcard } from './wildcard.ts';

/** A pattern with more alternatives is taken literally. */
const MOST_ALTERNATIVES = 256;

type Segment = Wildcard | '**';

/** The alternatives of a pattern, each a list of segments. */
export type PathPattern = readonly (readonly Segment[])[];

/**
 * Compiles `*` and `?` within a segment, `**` for any number of segments, `[a-z]`, and `{a,b}` unless `braces` is
 * false.
 */
export function compilePathPattern(pattern: string, braces = true): PathPattern {
  const alternatives = braces ? expandBraces(pattern) : [pattern];
  return alternatives.map((alternative) =>
    alternative
      .split('/')
      .filter((segment) => segment !== '' && segment !== '.')
      .map((segment) => (segment === '**' ? '**' : compileWildcard(segment))),
  );
}

/** The segments of a path for `matchesPath`. */
export function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

const SEGMENTS: Terms<Segment, string> = {
  isRun: (segment) => segment === '**',
  fits: (segment, text) => segment !== '**' && matchesWildcard(segment, text),
};

/** Whether the whole path matches one of the alternatives. */
export function matchesPath(pattern: PathPattern, segments: readonly string[]): boolean {
  return pattern.some((alternative) => matchesAll(alternative, segments, SEGMENTS));
}

/**
 * Expands `a{b,c}` to `ab` and `ac`. Unclosed braces stay; a pattern with more than `MOST_ALTERNATIVES` is returned
 * unchanged.
 */
export function expandBraces(pattern: string): string[] {
  let whole = [pattern];
  for (;;) {
    const next = whole.flatMap(expandFirst);
    if (next.length === whole.length) return whole;
    if (next.length > MOST_ALTERNATIVES) return [pattern];
    whole = next;
  }
}

function expandFirst(pattern: string): string[] {
  const group = firstGroup(pattern);
  if (group === undefined) return [pattern];
  const { start, end, parts } = group;
  return parts.map((part) => pattern.slice(0, start) + part + pattern.slice(end + 1));
}

interface Group {
  readonly start: number;
  readonly end: number;
  readonly parts: readonly string[];
}

/** The first closed `{…,…}`. Braces without a comma are text. */
function firstGroup(pattern: string): Group | undefined {
  for (let start = pattern.indexOf('{'); start >= 0; start = pattern.indexOf('{', start + 1)) {
    const group = groupAt(pattern, start);
    if (group !== undefined && group.parts.length > 1) return group;
  }
  return undefined;
}

function groupAt(pattern: string, start: number): Group | undefined {
  const parts: string[] = [];
  let depth = 0;
  let from = start + 1;
  for (let at = start; at < pattern.length; at += 1) {
    const char = pattern[at];
    if (char === '{') depth += 1;
    if (char === '}') depth -= 1;
    if ((char === ',' && depth === 1) || depth === 0) {
      parts.push(pattern.slice(from, at));
      from = at + 1;
    }
    if (depth === 0) return { start, end: at, parts };
  }
  return undefined;
}
