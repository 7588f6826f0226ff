import { matchesAll, type Terms } from './match.ts';

/** A piece of a pattern: a character, any character, a set, or a run of any characters. */
type Piece =
  | { readonly kind: 'one'; readonly char: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'run' }
  | {
      readonly kind: 'set';
      readonly negated: boolean;
      readonly ranges: readonly (readonly [string, string])[];
    };

export type Wildcard = readonly Piece[];

/**
 * Compiles `*`, `?`, `[a-z]`, `[!a]` and `\` before a literal character. `classes: false` keeps brackets literal, which
 * are common in command lines.
 */
export function compileWildcard(pattern: string, classes = true): Wildcard {
  const chars = [...pattern];
  const pieces: Piece[] = [];
  for (let at = 0; at < chars.length; at += 1) {
    const char = chars[at] ?? '';
    const set = char === '[' && classes ? readSet(chars, at) : undefined;
    if (set !== undefined) {
      pieces.push(set.piece);
      at = set.end;
    } else if (char === '\\' && at + 1 < chars.length) {
      at += 1;
      pieces.push({ kind: 'one', char: chars[at] ?? '' });
    } else pushPlain(pieces, char);
  }
  return pieces;
}

function pushPlain(pieces: Piece[], char: string): void {
  if (char === '?') pieces.push({ kind: 'any' });
  else if (char !== '*') pieces.push({ kind: 'one', char });
  else if (pieces.at(-1)?.kind !== 'run') pieces.push({ kind: 'run' });
}

function readSet(chars: readonly string[], start: number): { piece: Piece; end: number } | undefined {
  let at = start + 1;
  const negated = chars[at] === '!' || chars[at] === '^';
  if (negated) at += 1;
  const ranges: [string, string][] = [];
  // As in a shell, `]` right after the opening bracket is literal.
  for (const first = at; at < chars.length && (chars[at] !== ']' || at === first); at += 1) {
    if (chars[at] === '\\') at += 1;
    const from = chars[at] ?? '';
    const isRange = chars[at + 1] === '-' && chars[at + 2] !== undefined && chars[at + 2] !== ']';
    ranges.push([from, isRange ? (chars[at + 2] ?? from) : from]);
    if (isRange) at += 2;
  }
  return at < chars.length ? { piece: { kind: 'set', negated, ranges }, end: at } : undefined;
}

/** Whether a pattern has a character with a special meaning. */
export function isWild(pattern: string): boolean {
  return /[*?[\\]/.test(pattern);
}

const CHARACTERS: Terms<Piece, string> = { isRun: ({ kind }) => kind === 'run', fits: matchesPiece };

/** Whether the whole text matches. */
export function matchesWildcard(wildcard: Wildcard, text: string): boolean {
  return matchesAll(wildcard, [...text], CHARACTERS);
}

function matchesPiece(piece: Piece, char: string): boolean {
  if (piece.kind === 'one') return piece.char === char;
  if (piece.kind === 'any') return true;
  if (piece.kind !== 'set') return false;
  return piece.ranges.some(([from, to]) => from <= char && char <= to) !== piece.negated;
}
