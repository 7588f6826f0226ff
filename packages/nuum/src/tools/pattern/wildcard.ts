/** One place of a pattern: a set of characters, or any run of them. */
type Piece =
  | { readonly kind: 'one'; readonly char: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'run' }
  | {
      readonly kind: 'set';
      readonly negated: boolean;
      readonly ranges: readonly (readonly [string, string])[];
    };

/** A compiled pattern for one piece of text. */
export type Wildcard = readonly Piece[];

/**
 * Reads `*`, `?`, `[a-z]`, `[!a]` and `\` before a character that is meant literally. `classes: false` leaves brackets as
 * they are, for texts in which they are common, such as command lines.
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
  // A bracket that closes at once is meant literally, as in the shell.
  for (const first = at; at < chars.length && (chars[at] !== ']' || at === first); at += 1) {
    if (chars[at] === '\\') at += 1;
    const from = chars[at] ?? '';
    const isRange = chars[at + 1] === '-' && chars[at + 2] !== undefined && chars[at + 2] !== ']';
    ranges.push([from, isRange ? (chars[at + 2] ?? from) : from]);
    if (isRange) at += 2;
  }
  return at < chars.length ? { piece: { kind: 'set', negated, ranges }, end: at } : undefined;
}

/** Whether there is a character with a meaning of its own. */
export function isWild(pattern: string): boolean {
  return /[*?[\\]/.test(pattern);
}

/**
 * Whether the whole text fits. Goes back to the last run only, which is enough for patterns of this kind: the time is at
 * worst the product of both lengths, whoever wrote the pattern.
 */
export function matchesWildcard(wildcard: Wildcard, text: string): boolean {
  const chars = [...text];
  let piece = 0;
  let at = 0;
  let run = -1;
  let runAt = 0;
  while (at < chars.length) {
    const current = wildcard[piece];
    if (current?.kind === 'run') {
      run = piece;
      runAt = at;
      piece += 1;
    } else if (current !== undefined && fits(current, chars[at] ?? '')) {
      piece += 1;
      at += 1;
    } else if (run >= 0) {
      runAt += 1;
      at = runAt;
      piece = run + 1;
    } else return false;
  }
  return wildcard.slice(piece).every(({ kind }) => kind === 'run');
}

function fits(piece: Piece, char: string): boolean {
  if (piece.kind === 'one') return piece.char === char;
  if (piece.kind === 'any') return true;
  if (piece.kind !== 'set') return false;
  return piece.ranges.some(([from, to]) => from <= char && char <= to) !== piece.negated;
}
