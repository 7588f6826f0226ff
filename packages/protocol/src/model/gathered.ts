/** Text that is kept until a message can be made of it, up to a limit. */
export interface Gathered {
  parts: string[];
  chars: number;
  readonly limit: number;
  /** Something did not fit. */
  cut: boolean;
}

/** Starts with nothing gathered; `limit` counts UTF-16 units, and more than that is dropped. */
export function createGathered(limit: number): Gathered {
  return { parts: [], chars: 0, limit, cut: false };
}

/** Adds a piece. Returns false once, when the first piece does not fit whole. */
export function gather(into: Gathered, piece: string): boolean {
  if (into.cut) return true;
  const room = into.limit - into.chars;
  // Every piece takes up memory, even an empty one.
  const size = Math.max(piece.length, 1);
  if (size <= room) {
    into.parts.push(piece);
    into.chars += size;
    return true;
  }
  into.parts.push(wellFormedHead(piece, room));
  into.chars = into.limit;
  into.cut = true;
  return false;
}

/** Takes everything out, leaving it empty. */
export function takeGathered(from: Gathered, separator: string): string {
  const text = from.parts.join(separator);
  from.parts = [];
  from.chars = 0;
  from.cut = false;
  return text;
}

/** At most `length` UTF-16 units from the front, never half of a surrogate pair. */
export function wellFormedHead(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
