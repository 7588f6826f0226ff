/** Text that is kept up to `limit` code points. Text beyond the limit is not stored. */
export interface Reply {
  text: string;
  points: number;
  readonly limit: number;
  /** A piece exceeded the limit; later pieces are dropped. */
  cut: boolean;
}

/** Upper bound for `maxReplyChars`, which keeps a reply from exhausting memory. */
const MOST_POINTS = 64 * 1024 * 1024;

/** Starts an empty reply. A limit of 0 or less means `MOST_POINTS`. */
export function createReply(limit: number): Reply {
  return { text: '', points: 0, limit: limit > 0 ? Math.min(limit, MOST_POINTS) : MOST_POINTS, cut: false };
}

/** Adds the part of `piece` that fits, and returns that part. */
export function addToReply(reply: Reply, piece: string): string {
  if (reply.cut) return '';
  let end = 0;
  while (end < piece.length && reply.points < reply.limit) {
    end += (piece.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
    reply.points++;
  }
  reply.cut = end < piece.length;
  const added = reply.cut ? piece.slice(0, end) : piece;
  reply.text += added;
  return added;
}

/** The reply with `suffix` appended when it was cut. */
export function finishReply(reply: Reply, suffix: string): string {
  return reply.cut ? reply.text + suffix : reply.text;
}
