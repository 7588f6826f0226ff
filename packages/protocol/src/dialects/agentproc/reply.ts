/** Text that is kept up to a number of code points; the rest of it costs nothing. */
export interface Reply {
  text: string;
  points: number;
  readonly limit: number;
  /** Something did not fit. */
  cut: boolean;
}

/** No reply is kept beyond this, whatever a profile says. */
const MOST_POINTS = 64 * 1024 * 1024;

/** Starts an empty reply; a limit of 0 or less is the largest one there is. */
export function createReply(limit: number): Reply {
  return { text: '', points: 0, limit: limit > 0 ? Math.min(limit, MOST_POINTS) : MOST_POINTS, cut: false };
}

/** Adds as much of a piece as there is room for, and returns that. */
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

/** The reply as it is passed on: the suffix tells that something is missing. */
export function finishReply(reply: Reply, suffix: string): string {
  return reply.cut ? reply.text + suffix : reply.text;
}
