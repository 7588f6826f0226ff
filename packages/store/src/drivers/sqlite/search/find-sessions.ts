import { type Connection, type Parameters, visitRows } from '../connection.ts';
import { listOtherChannels } from '../other-channels.ts';
import type { SessionRow } from '../records/session.ts';
import { fold } from './fold.ts';
import { saidIn } from './index-next.ts';
import { foldIndexed } from './index-text.ts';
import { isWordIn, readHits, type WordHits } from './word-hits.ts';
import type { SearchWord } from './words.ts';

/** Which sessions to look for: those in which every word occurs, the one that changed last first. */
export interface SessionSearch {
  readonly words: readonly SearchWord[];
  readonly limit: number;
  readonly before?: { readonly id: string; readonly updatedAt: number };
  readonly channel?: string;
  readonly exceptChannel?: string;
}

/** Hits of each word that are read at first, 2 to 10 ms. A word with fewer is known completely by then. */
const FIRST_HITS = 10_000;

/** Events whose text is compared, some 5 us each, before the index is read further instead. */
const MOST_SCANNED = 2_000;

/** Finds sessions; of all channels but one, a page of each channel. */
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
 * Finds sessions by two ways that complement each other. A rare word has few hits in the index: its sessions are the candidates. For common words
 * it would take seconds to read all hits, but recent sessions contain them: the candidates are all sessions, newest first, and their texts are
 * compared until the page is full. When that takes too long, the rarest word whose hits are not all known is read to its end, and the
 * walk begins again with fewer candidates. `checkTime` is called at every step and throws when the search must end.
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

/** The page of sessions; undefined when too many texts were compared and the index should be read further. */
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

/** The statement that lists candidates: the sessions of all words whose hits are known completely, or else every session. */
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

/** Of the words whose hits are not all known, the one that fewer of the sessions read so far contain. */
function rarestIncomplete(words: readonly WordHits[]): WordHits | undefined {
  const open = words.filter((word) => !word.complete);
  // As many hits were read of each: the rarer word has them in more sessions.
  return open.sort((one, other) => other.sessions.size - one.sessions.size)[0];
}

const TEXTS = 'select body from events where session = :session order by number desc';

/** Looks for words in the title and the texts of a session, newest first, until all are found. */
function compareTexts(
  connection: Connection,
  session: SessionRow,
  words: readonly WordHits[],
): { matches: boolean; scanned: number } {
  const title = fold(session.title);
  let missing = words.filter(({ word }) => !title.includes(word.text));
  if (missing.length === 0) return { matches: true, scanned: 0 };
  let scanned = 0;
  visitRows<{ body: string }>(connection, TEXTS, { session: session.seq }, ({ body }) => {
    scanned += 1;
    const text = saidIn(body);
    if (text !== undefined) {
      const folded = foldIndexed(text);
      missing = missing.filter(({ word }) => !folded.includes(word.text));
    }
    return missing.length === 0 || scanned > MOST_SCANNED;
  });
  return { matches: missing.length === 0, scanned };
}
