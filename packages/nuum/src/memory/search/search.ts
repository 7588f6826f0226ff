import { type Connection, findRow } from '@plugboard/sqlite';
import { queuedMessages } from '../messages/queued.ts';
import { COLUMNS, type Stored } from '../messages/stored.ts';
import type { KnowledgeHit, MessageHit, MessageQuery, QueuedHit, Search } from './hit.ts';
import { unboundedWindow, type Window, weighTerms, withAll, withAny, withCommon } from './indexed.ts';
import { scanMessages } from './scan.ts';
import { literalMatches, snippetOf } from './snippet.ts';
import { plainOf, type Term, termsOf } from './words.ts';

const LIMIT = 10;

export function createSearch(connection: Connection): Search {
  return {
    messages: (query) => findMessages(connection, query),
    queued: (query, limit = LIMIT) => findQueued(connection, query, limit),
    knowledge: (query, limit = LIMIT) => findKnowledge(connection, query, limit),
  };
}

/**
 * Messages with all words come first. Then, in turn, messages with any word, and messages that contain an unknown word
 * as a substring. All messages are read only for words that the index does not have.
 */
async function findMessages(connection: Connection, query: MessageQuery): Promise<MessageHit[]> {
  const terms = termsOf(query.query);
  const most = query.limit ?? LIMIT;
  const window: Window = {
    after: query.after ?? -1,
    before: query.before ?? Number.MAX_SAFE_INTEGER,
    most,
    turnFrom: query.turnFrom,
  };
  const weighed = weighTerms(connection, 'message_words', terms);
  const unknown = weighed.filter(({ weight }) => weight === 'unknown').map(({ term }) => term);
  const all = unknown.length === 0 ? withAll(connection, 'message_words', weighed, window) : [];
  const parts = weighTerms(connection, 'message_words', partsOf(unknown));
  const any = all.length < most ? withAny(connection, 'message_words', [...weighed, ...parts], window) : [];
  const within = unknown.length > 0 ? await scanMessages(connection, unknown, window, query.signal) : [];
  const best = [...new Set([...all, ...inTurns(within, any)])];
  // Without other hits, the latest messages with a common word.
  const keys = best.length > 0 ? best : withCommon(connection, 'message_words', weighed, window);
  return literalFirst(hitsFor(connection, keys, terms)).slice(0, most);
}

function partsOf(terms: readonly Term[]): Term[] {
  return terms.flatMap((term) => term.parts.flatMap((part) => termsOf(part)));
}

function inTurns<T>(one: readonly T[], other: readonly T[]): T[] {
  const longest = Math.max(one.length, other.length);
  return Array.from({ length: longest }, (_, index) => [
    ...one.slice(index, index + 1),
    ...other.slice(index, index + 1),
  ]).flat();
}

interface Scored extends MessageHit {
  readonly literal: number;
}

function hitsFor(connection: Connection, keys: readonly number[], terms: readonly Term[]): Scored[] {
  return keys.flatMap((number) => {
    const found = findRow<Stored>(connection, `select ${COLUMNS} from messages where number = :number`, {
      number,
    });
    if (found === undefined) return [];
    const text = found.kind === 'call' ? `${found.name} ${found.text}` : found.text;
    const literal = literalMatches(text, terms);
    return [{ number, at: found.at, kind: found.kind, snippet: snippetOf(text, terms), literal }];
  });
}

/** The index ignores punctuation: hits that contain a term exactly come first. */
function literalFirst(hits: readonly Scored[]): MessageHit[] {
  return [...hits]
    .sort((a, b) => b.literal - a.literal)
    .map(({ number, at, kind, snippet }) => ({ number, at, kind, snippet }));
}

interface FoundEntry {
  readonly slug: string;
  readonly title: string;
  readonly version: number;
  readonly body: string;
}

function findKnowledge(connection: Connection, query: string, limit: number): KnowledgeHit[] {
  const terms = termsOf(query);
  const weighed = weighTerms(connection, 'knowledge_words', terms);
  const unknown = weighed.filter(({ weight }) => weight === 'unknown').map(({ term }) => term);
  const parts = weighTerms(connection, 'knowledge_words', partsOf(unknown));
  const window = unboundedWindow(limit);
  const keys = new Set([
    ...(unknown.length === 0 ? withAll(connection, 'knowledge_words', weighed, window) : []),
    ...withAny(connection, 'knowledge_words', [...weighed, ...parts], window),
    ...findSubstrings(connection, unknown, limit),
  ]);
  return [...keys].slice(0, limit).flatMap((id) => {
    const found = findRow<FoundEntry>(
      connection,
      'select slug, title, version, body from knowledge where id = :id and archived_at is null',
      { id },
    );
    if (found === undefined) return [];
    const { slug, title, version, body } = found;
    return [{ slug, title, version, snippet: snippetOf(body, terms) }];
  });
}

/** Entries that contain one of the terms as a substring. */
function findSubstrings(connection: Connection, terms: readonly Term[], most: number): number[] {
  return terms.flatMap(({ literal }) => {
    const ids = findRow<{ ids: string }>(
      connection,
      `select json_group_array(id) as ids from (select id from knowledge where archived_at is null
         and instr(lower(slug || ' ' || title || ' ' || body), lower(:literal)) > 0 order by updated_at desc limit :most)`,
      { literal, most },
    )?.ids;
    return JSON.parse(ids ?? '[]') as number[];
  });
}

/** The inbox has no index and few messages: all are read. Ordered by the number of terms found, then latest first. */
function findQueued(connection: Connection, query: string, most: number): QueuedHit[] {
  const terms = termsOf(query);
  return queuedMessages(connection)
    .map(({ at, text }) => ({ at, text, found: foundIn(text, terms) }))
    .filter(({ found }) => found > 0)
    .reverse()
    .sort((a, b) => b.found - a.found)
    .slice(0, most)
    .map(({ at, text }) => ({ at, snippet: snippetOf(text, terms) }));
}

function foundIn(text: string, terms: readonly Term[]): number {
  const plain = plainOf(text);
  return terms.filter(({ literal }) => plain.includes(plainOf(literal))).length;
}
