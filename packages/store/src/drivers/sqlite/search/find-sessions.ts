import { foldText } from '../../../folded-text.ts';
import { type Connection, listRows, type Parameters, visitRows } from '../connection.ts';
import { listOtherChannels } from '../sessions/session-pages.ts';
import type { SessionRow } from '../sessions/session-rows.ts';
import { foldIndexed, textOf } from './documents.ts';
import type { SearchWord } from './words.ts';

/** Finds sessions that contain each of `words`, most recently changed first. */
export interface SessionSearch {
  readonly words: readonly SearchWord[];
  readonly limit: number;
  readonly before?: { readonly id: string; readonly updatedAt: number };
  readonly channel?: string;
  readonly exceptChannel?: string;
}

/** Hits read of each word at first, which takes 2 to 10 ms. The hits of a rarer word are then complete. */
const FIRST_HITS = 10_000;

/** Events whose text `walkCandidates` compares, some 5 µs each, before the index is read further. */
const MOST_SCANNED = 2_000;

/** `checkTime` is called at each step, and throws to end the search. */
export function findSessions(
  connection: Connection,
  search: SessionSearch,
  checkTime: () => void,
): SessionRow[] {
  const { exceptChannel, ...rest } = search;
  if (exceptChannel === undefined) return findOrdered(connection, rest, checkTime);
  const { limit } = search;
  return listOtherChannels(connection, { exceptChannel, limit }, (channel) =>
    findOrdered(connection, { ...rest, channel }, checkTime),
  );
}

/**
 * Combines two strategies. A rare word has few hits in the index: its sessions are the candidates. To read all hits of a
 * common word takes seconds, but recent sessions contain it: all sessions are candidates, newest first, and their texts are
 * compared until the page is full. After `MOST_SCANNED` texts, the hits of the rarest incomplete word are read to the end,
 * and the walk starts again with fewer candidates.
 */
function findOrdered(
  connection: Connection,
  search: Omit<SessionSearch, 'exceptChannel'>,
  checkTime: () => void,
): SessionRow[] {
  let words: readonly WordHits[] = [];
  for (const word of search.words) {
    checkTime();
    const hits = readHits(connection, word, FIRST_HITS);
    if (hits.sessions.size === 0) return [];
    words = [...words, hits];
  }
  for (;;) {
    const found = walkCandidates(connection, search, words, checkTime);
    if (found !== undefined) return found;
    const rarest = rarestIncomplete(words);
    words = words.map((word) => (word === rarest ? readHits(connection, word.word) : word));
  }
}

/** The page of sessions; undefined after more than `MOST_SCANNED` compared texts. */
function walkCandidates(
  connection: Connection,
  search: SessionSearch,
  words: readonly WordHits[],
  checkTime: () => void,
): SessionRow[] | undefined {
  const found: SessionRow[] = [];
  let scanned = 0;
  const { sql, parameters } = candidatesOf(search, words);
  visitRows<SessionRow>(connection, sql, parameters, (session) => {
    checkTime();
    const unknown = words.filter((word) => isWordIn(word, session.seq) !== true);
    if (unknown.some((word) => isWordIn(word, session.seq) === false)) return false;
    const compared = compareTexts(connection, session, unknown);
    scanned += compared.scanned;
    if (compared.matches) found.push(session);
    return found.length === search.limit || scanned > MOST_SCANNED;
  });
  return scanned > MOST_SCANNED && found.length < search.limit ? undefined : found;
}

/** The query for candidates: sessions that contain each word with `complete` hits; without such a word, all sessions. */
function candidatesOf(
  { before, channel }: SessionSearch,
  words: readonly WordHits[],
): { sql: string; parameters: Parameters } {
  const conditions: string[] = [];
  const parameters: Record<string, string | number> = {};
  if (before !== undefined) {
    conditions.push('(updated_at, seq) < (:before_at, (select seq from sessions where id = :before_id))');
    Object.assign(parameters, { before_id: before.id, before_at: before.updatedAt });
  }
  if (channel !== undefined) {
    conditions.push('channel = :channel');
    Object.assign(parameters, { channel });
  }
  const known = words.filter((word) => word.complete).map((word) => word.sessions);
  const [first, ...others] = known.sort((one, other) => one.size - other.size);
  if (first !== undefined) {
    const common = [...first].filter((session) => others.every((sessions) => sessions.has(session)));
    conditions.push('seq in (select value from json_each(:candidates))');
    Object.assign(parameters, { candidates: JSON.stringify(common) });
  }
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
  return { sql: `select * from sessions ${where} order by updated_at desc, seq desc`, parameters };
}

function rarestIncomplete(words: readonly WordHits[]): WordHits | undefined {
  const open = words.filter((word) => !word.complete);
  // `FIRST_HITS` were read of each: those of a rarer word are in more sessions.
  return open.sort((one, other) => other.sessions.size - one.sessions.size)[0];
}

const TEXTS = 'select body from events where session = :session order by number desc';

/** Searches the title and then the texts of a session, newest first, until each word is found. */
function compareTexts(
  connection: Connection,
  session: SessionRow,
  words: readonly WordHits[],
): { matches: boolean; scanned: number } {
  const title = foldText(session.title);
  let missing = words.filter(({ word }) => !title.includes(word.text));
  if (missing.length === 0) return { matches: true, scanned: 0 };
  let scanned = 0;
  visitRows<{ body: string }>(connection, TEXTS, { session: session.seq }, ({ body }) => {
    scanned += 1;
    const text = textOf(body);
    if (text !== undefined) {
      const folded = foldIndexed(text);
      missing = missing.filter(({ word }) => !folded.includes(word.text));
    }
    return missing.length === 0 || scanned > MOST_SCANNED;
  });
  return { matches: missing.length === 0, scanned };
}

/** The sessions with hits of one word, as far as the index was read. */
interface WordHits {
  readonly word: SearchWord;
  /** Whether all hits were read. */
  readonly complete: boolean;
  readonly sessions: ReadonlySet<number>;
  /** Complete above this session: `sessions` has each higher session that contains the word. */
  readonly lowest: number;
}

/** The highest rowids belong to the newest sessions. SQLite groups hits 10 times as fast as JavaScript. */
const selectHits = (table: SearchWord['table']): string => `
  select hit >> 24 as session, count(*) as hits
  from (select rowid as hit from ${table} where ${table} match :match order by rowid desc limit :limit)
  group by hit >> 24
  order by session desc`;

/** Reads all hits when `limit` is undefined. */
function readHits(connection: Connection, word: SearchWord, limit?: number): WordHits {
  const parameters = { match: word.match, limit: limit ?? -1 };
  const found = listRows<{ session: number; hits: number }>(connection, selectHits(word.table), parameters);
  const hits = found.reduce((sum, one) => sum + one.hits, 0);
  return {
    word,
    complete: limit === undefined || hits < limit,
    sessions: new Set(found.map((one) => one.session)),
    lowest: found.at(-1)?.session ?? 0,
  };
}

/** Undefined when the index was not read down to `session`. */
function isWordIn({ complete, sessions, lowest }: WordHits, session: number): boolean | undefined {
  if (sessions.has(session)) return true;
  return complete || session > lowest ? false : undefined;
}
