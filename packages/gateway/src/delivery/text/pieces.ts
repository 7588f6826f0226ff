import { bestBreak, isSpace } from './breaks.ts';
import { type Fence, fenceAround, fencesOf, openAt } from './fences.ts';
import { codePointStart, graphemeStart, isBoundary, isBoundaryBehind } from './graphemes.ts';
import type { Measure } from './measure.ts';

/** A range of a text, with the fences that complete its code. */
export interface Piece {
  readonly start: number;
  readonly end: number;
  readonly open: string;
  readonly close: string;
}

interface Cutting {
  readonly text: string;
  readonly longest: number;
  readonly measure: Measure;
  readonly fences: readonly Fence[];
}

/** A piece and the start of the next one; white space between them is dropped. */
interface Cut extends Piece {
  readonly next: number;
}

/** Splits a text into pieces of at most `longest`, in linear time. */
export function* splitPieces(text: string, longest: number, measure: Measure): Generator<Piece> {
  // Fences that take more than half of `longest` are not repaired.
  const fences = fencesOf(text).filter(({ open, close }) => measure(open) + measure(close) <= longest / 2);
  const cutting: Cutting = { text, longest, measure, fences };
  for (let at = 0; at < text.length; ) {
    const { next, ...piece } = cutAt(cutting, at);
    if (text.slice(piece.start, piece.end).trim() !== '') yield piece;
    at = next;
  }
}

function cutAt(cutting: Cutting, start: number): Cut {
  const { text, fences } = cutting;
  const open = start === 0 ? '' : (openAt(fences, start)?.open ?? '');
  const most = findFarthest(cutting, start, open, '');
  if (most === text.length) return { start, end: most, open, close: '', next: most };
  const fence = openAt(fences, most);
  let to = fence === undefined ? most : findFarthest(cutting, start, open, fence.close);
  for (;;) {
    const index = placeToCut(cutting, start, to);
    // No character fits beside the fences: this piece is cut without them.
    if (index === undefined) return forcedCut(cutting, start);
    const cut = trimCut(cutting, start, index, open);
    if (isWithinLimit(cutting, cut)) return cut;
    to = index - 1;
  }
}

/** The largest end within the limit, by doubling and binary search. */
function findFarthest(cutting: Cutting, start: number, open: string, close: string): number {
  const { text, longest } = cutting;
  // `measure` is undefined for half a surrogate pair.
  const fitsTo = (end: number): boolean =>
    isWithinLimit(cutting, { start, end: codePointStart(text, end), open, close });
  let step = Math.max(1, longest);
  while (start + step < text.length && fitsTo(start + step)) step *= 2;
  let low = start;
  let high = Math.min(start + step, text.length);
  if (fitsTo(high)) return high;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (fitsTo(middle)) low = middle;
    else high = middle;
  }
  return codePointStart(text, low);
}

function isWithinLimit({ text, measure, longest }: Cutting, { start, end, open, close }: Piece): boolean {
  return measure(open + text.slice(start, end) + close) <= longest;
}

/** The best break up to `to`; undefined when there is none behind `start` that keeps graphemes whole. */
function placeToCut({ text, fences }: Cutting, start: number, to: number): number | undefined {
  if (to <= start) return undefined;
  const isAllowed = (index: number): boolean => leavesFences(fences, index) && isBoundaryBehind(text, index);
  const best = bestBreak(text, start, to, isAllowed);
  if (best !== undefined) return best;
  const index = graphemeStart(text, start, to);
  const fence = fenceAround(fences, index);
  if (fence === undefined || (index > fence.code && index <= fence.codeEnd))
    return index > start ? index : undefined;
  const edge = index <= fence.code ? fence.start : fence.codeEnd;
  if (edge > start) return edge;
  return index > start ? index : undefined;
}

/** Whether a split at `index` leaves code on both sides: an empty code block is useless. */
function leavesFences(fences: readonly Fence[], index: number): boolean {
  const fence = fenceAround(fences, index);
  return fence === undefined || (index > fence.code && index < fence.codeEnd);
}

/** A grapheme is longer than the limit: it is split between code points, never within one. */
function forcedCut(cutting: Cutting, start: number): Cut {
  const { text } = cutting;
  const most = findFarthest(cutting, start, '', '');
  const whole = graphemeStart(text, start, most);
  const one = start + String.fromCodePoint(text.codePointAt(start) ?? 0).length;
  const end = Math.max(whole > start ? whole : most, one);
  return { start, end, open: '', close: '', next: end };
}

/**
 * Within code only the line break at the split is dropped, which the fences restore; elsewhere all white space around
 * it.
 */
function trimCut({ text, fences }: Cutting, start: number, index: number, open: string): Cut {
  const fence = openAt(fences, index);
  if (fence !== undefined) {
    const end = index - (/\r?\n$/.exec(text.slice(Math.max(start, index - 2), index))?.[0].length ?? 0);
    return { start, end, open, close: fence.close, next: index };
  }
  const end = start + text.slice(start, index).trimEnd().length;
  const next = skipSpace(text, index);
  return {
    start,
    end: isBoundary(text, start, end) ? end : index,
    open,
    close: '',
    next: isBoundary(text, start, next) ? next : index,
  };
}

/** Skips spaces and empty lines at the start of a piece, but keeps the indentation of a line. */
function skipSpace(text: string, from: number): number {
  let at = from;
  let line = text[from - 1] === '\n' ? from : undefined;
  for (; at < text.length && isSpace(text[at] ?? ''); at += 1) if (text[at] === '\n') line = at + 1;
  return at === text.length ? at : (line ?? at);
}
