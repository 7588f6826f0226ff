/** What a pattern of places and runs is matched by. */
export interface Terms<Piece, Item> {
  /** Whether this piece stands for any number of items. */
  isRun(piece: Piece): boolean;
  fits(piece: Piece, item: Item): boolean;
}

/**
 * Whether all items fit the pattern. Goes back to the last run only, which is enough for patterns of this kind: the time is
 * at worst the product of both lengths, whoever wrote the pattern.
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
