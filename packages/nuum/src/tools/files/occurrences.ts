/** A range of a text. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * All occurrences of `piece`. LF in it also matches CRLF, since `read` shows lines without CR. Ranges refer to the
 * original text.
 */
export function findAll(text: string, piece: string): readonly Range[] {
  const wanted = piece.replaceAll('\r\n', '\n');
  if (!text.includes('\r\n')) return plainRanges(text, wanted);
  const removed: number[] = [];
  for (let at = text.indexOf('\r\n'); at >= 0; at = text.indexOf('\r\n', at + 2))
    removed.push(at - removed.length);
  return plainRanges(text.replaceAll('\r\n', '\n'), wanted).map(({ start, end }) => ({
    start: start + countBelow(removed, start),
    end: end + countBelow(removed, end),
  }));
}

/** Includes overlapping occurrences: each could be meant. */
function plainRanges(text: string, piece: string): Range[] {
  const ranges: Range[] = [];
  for (let at = text.indexOf(piece); at >= 0; at = text.indexOf(piece, at + 1)) {
    ranges.push({ start: at, end: at + piece.length });
  }
  return ranges;
}

/** Binary search: the count of numbers below `limit`. */
function countBelow(sorted: readonly number[], limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The ranges that do not overlap one before them. */
export function withoutOverlap(ranges: readonly Range[]): Range[] {
  const kept: Range[] = [];
  for (const range of ranges) if (range.start >= (kept.at(-1)?.end ?? 0)) kept.push(range);
  return kept;
}

/** The replacement with the line ends of the replaced text, or of the text around it. */
export function withLineEnds(replacement: string, text: string, { start, end }: Range): string {
  const plain = replacement.replaceAll('\r\n', '\n');
  const own = text.slice(start, end);
  const isWindows = own.includes('\n') ? own.includes('\r\n') : endsLinesWithCr(text, end);
  return isWindows ? plain.replaceAll('\n', '\r\n') : plain;
}

function endsLinesWithCr(text: string, at: number): boolean {
  const next = text.indexOf('\n', at);
  const feed = next >= 0 ? next : text.lastIndexOf('\n');
  return feed > 0 && text[feed - 1] === '\r';
}

/** The line number of a position, from 1. */
export function lineAt(text: string, position: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < position; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}
