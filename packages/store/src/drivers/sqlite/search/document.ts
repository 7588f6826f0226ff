/** Event numbers per session that the index can name: 2^24. With them, `session * 2^24` stays an exact number up to 2^29 sessions. */
const NUMBERS = 2 ** 24;

/** The number under which a session's title is indexed; events are numbered from 1. */
export const TITLE = 0;

/** Characters of a text that are indexed: a megabyte takes 100 ms, in which nothing else is committed. */
export const INDEXED_CHARACTERS = 65_536;

/**
 * The rowid of a text in the search index. Because the session stands in the high bits, hits that are read in the order of rowids
 * come session by session, and the session of a hit is known without reading its event.
 */
export function documentOf(session: number, number: number): number {
  return session * NUMBERS + number;
}

/** Whether `documentOf` has a rowid for this event; later events of a session are not indexed. */
export function hasDocument(number: number): boolean {
  return number < NUMBERS;
}
