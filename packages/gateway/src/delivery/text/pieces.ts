import { bestBreak, isSpace } from './breaks.ts';
import { type Fence, fenceAround, fencesOf, openAt } from './fences.ts';
import { codePointStart, graphemeStart, isBoundary, isBoundaryBehind } from './graphemes.ts';
import type { Measure } from './measure.ts';

/** A part of a text: from where to where, and what makes its code whole again. */
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

/** A piece, and where the one after it begins: white space between them is left out. */
interface Cut extends Piece {
  readonly next: number;
}

/** Cuts a text into pieces of which each fits. The time it takes grows with the text, not with its square. */
export function* pieces(text: string, longest: number, measure: Measure): Generator<Piece> {
  // A fence that would take half the room for itself is left as it is.
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
  const most = farthest(cutting, start, open, '');
  if (most === text.length) return { start, end: most, open, close: '', next: most };
  const fence = openAt(fences, most);
  let to = fence === undefined ? most : farthest(cutting, start, open, fence.close);
  for (;;) {
    const index = placeToCut(cutting, start, to);
    // Not even one character has room beside the fences: they are given up for this piece.
    if (index === undefined) return forcedCut(cutting, start);
    const cut = trimmed(cutting, start, index, open);
    if (fits(cutting, cut)) return cut;
    to = index - 1;
  }
}

/** The farthest end that leaves the piece within the limit. */
function farthest(cutting: Cutting, start: number, open: string, close: string): number {
  const { text, longest } = cutting;
  // Half a surrogate pair counts as anything.
  const fitsTo = (end: number): boolean =>
    fits(cutting, { start, end: codePointStart(text, end), open, close });
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

function fits({ text, measure, longest }: Cutting, { start, end, open, close }: Piece): boolean {
  return measure(open + text.slice(start, end) + close) <= longest;
}

/** The best place up to `to`; undefined when there is none behind `start` that leaves characters whole. */
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

/** Whether neither fence is cut off from its code: a block with nothing in it helps nobody. */
function leavesFences(fences: readonly Fence[], index: number): boolean {
  const fence = fenceAround(fences, index);
  return fence === undefined || (index > fence.code && index < fence.codeEnd);
}

/** One character is longer than a message may be: it is cut between code points, and never within one. */
function forcedCut(cutting: Cutting, start: number): Cut {
  const { text } = cutting;
  const most = farthest(cutting, start, '', '');
  const whole = graphemeStart(text, start, most);
  const one = start + String.fromCodePoint(text.codePointAt(start) ?? 0).length;
  const end = Math.max(whole > start ? whole : most, one);
  return { start, end, open: '', close: '', next: end };
}

/** Within code only the line break at the cut goes, which the fences bring back; elsewhere all white space around it. */
function trimmed({ text, fences }: Cutting, start: number, index: number, open: string): Cut {
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

/** Over what need not begin a message: spaces and empty lines, but not how far a line is indented. */
function skipSpace(text: string, from: number): number {
  let at = from;
  let line = text[from - 1] === '\n' ? from : undefined;
  for (; at < text.length && isSpace(text[at] ?? ''); at += 1) if (text[at] === '\n') line = at + 1;
  return at === text.length ? at : (line ?? at);
}
