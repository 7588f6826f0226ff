/**
 * The known word nearest to a mistyped word. Undefined when the edit distance is above both 2 and a third of its
 * length.
 */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Edit distance with insertions, deletions, replacements and swaps of neighbours. */
function editDistance(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= from.length; row++) {
    const line = [row];
    for (let column = 1; column <= to.length; column++) {
      line.push(cell(rows, line, from, to, row, column));
    }
    rows.push(line);
  }
  return rows[from.length]?.[to.length] ?? 0;
}

function cell(
  rows: number[][],
  line: number[],
  from: string,
  to: string,
  row: number,
  column: number,
): number {
  const above = rows[row - 1] ?? [];
  const same = from[row - 1] === to[column - 1] ? 0 : 1;
  const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
  return Math.min(
    (above[column] ?? 0) + 1,
    (line[column - 1] ?? 0) + 1,
    (above[column - 1] ?? 0) + same,
    swapped && row > 1 && column > 1 ? (rows[row - 2]?.[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
  );
}
