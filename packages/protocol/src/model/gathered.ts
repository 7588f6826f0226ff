import type { Delta } from './event.ts';

/** Text that is gathered piece by piece, up to `limit`. */
export interface Gathered {
  /** Many pieces each, already put together. */
  blocks: string[];
  pieces: string[];
  chars: number;
  readonly limit: number;
  /** Joins the pieces. */
  readonly separator: string;
  /** A piece exceeded `limit`; later pieces are dropped. */
  cut: boolean;
}

/**
 * Pieces that are joined into one block: each piece costs about 30 bytes of overhead, and a flood of short lines has
 * millions.
 */
const PIECES_TOGETHER = 1024;

/** Starts empty. `limit` counts UTF-16 units; text beyond it is dropped. */
export function createGathered(limit: number, separator = ''): Gathered {
  return { blocks: [], pieces: [], chars: 0, limit, separator, cut: false };
}

/** Limit of gathered deltas. The message that follows repeats the text in full. */
const PREVIEW_CHARS = 8 * 1024 * 1024;

/** Starts to gather the deltas of a message that has not come yet. */
export function createPreview(): Gathered {
  return createGathered(PREVIEW_CHARS);
}

/** Adds a piece. Returns false once, when the first piece does not fit whole. */
export function gather(into: Gathered, piece: string): boolean {
  if (into.cut) return true;
  const room = into.limit - into.chars;
  // Every piece takes up memory, even an empty one.
  const size = Math.max(piece.length, 1);
  if (size <= room) {
    into.pieces.push(piece);
    into.chars += size;
    if (into.pieces.length === PIECES_TOGETHER) putTogether(into);
    return true;
  }
  into.pieces.push(wellFormedHead(piece, room));
  into.chars = into.limit;
  into.cut = true;
  return false;
}

function putTogether(gathered: Gathered): void {
  gathered.blocks.push(gathered.pieces.join(gathered.separator));
  gathered.pieces = [];
}

/** Gathers a `Delta` until its message comes. A delta with `restart` clears `into`; its own `text` is not gathered. */
export function gatherDelta(into: Gathered, { text, restart }: Delta): void {
  if (restart) takeGathered(into);
  else gather(into, text);
}

/** Returns all gathered text and empties `from`. */
export function takeGathered(from: Gathered): string {
  if (from.pieces.length > 0) putTogether(from);
  const text = from.blocks.join(from.separator);
  from.blocks = [];
  from.chars = 0;
  from.cut = false;
  return text;
}

/** At most `length` UTF-16 units from the back, never half of a surrogate pair. */
export function wellFormedTail(text: string, length: number): string {
  if (text.length <= length) return text;
  const first = text.charCodeAt(text.length - length);
  return text.slice(first >= 0xdc00 && first <= 0xdfff ? 1 - length : -length);
}

/** At most `length` UTF-16 units from the front, never half of a surrogate pair. */
function wellFormedHead(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
