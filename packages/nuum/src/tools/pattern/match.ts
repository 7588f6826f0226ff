/** The meaning of the pieces of a pattern. */
export interface Terms<Piece, Item> {
  /** Whether a piece matches any number of items. */
  isRun(piece: Piece): boolean;
  fits(piece: Piece, item: Item): boolean;
}

/**
 * Whether all items match the pattern. Backtracks to the last run only, which is enough for such patterns: the time is
 * at most the product of both lengths, whatever the pattern.
 */
export function matchesAll<Piece, Item>(
  pattern: readonly Piece[],
  items: readonly Item[],
  { isRun, fits }: Terms<Piece, Item>,
): boolean {
  let piece = 0;
  let at = 0;
  let run = -1;
  let runAt = 0;
  while (at < items.length) {
    const current = pattern[piece];
    if (current !== undefined && isRun(current)) {
      run = piece;
      runAt = at;
      piece += 1;
    } else if (current !== undefined && fits(current, items[at] as Item)) {
      piece += 1;
      at += 1;
    } else if (run >= 0) {
      runAt += 1;
      at = runAt;
      piece = run + 1;
    } else return false;
  }
  return pattern.slice(piece).every(isRun);
}
