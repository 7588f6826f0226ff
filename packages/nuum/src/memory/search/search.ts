import { type Connection, row } from '../../database/connection.ts';
import { COLUMNS, type Stored } from '../messages/stored.ts';
import type { KnowledgeHit, MessageHit, MessageQuery, Search } from './hit.ts';
import { everywhere, type Window, weigh, withAll, withAny, withCommon } from './indexed.ts';
import { findQueued } from './queued.ts';
import { scan } from './scan.ts';
import { literalMatches, snippetOf } from './snippet.ts';
import { type Term, termsOf } from './words.ts';

const LIMIT = 10;

/** Search in a database. */
export function createSearch(connection: Connection): Search {
  return {
    messages: (query) => findMessages(connection, query),
    queued: (query, limit = LIMIT) => findQueued(connection, query, limit),
    knowledge: (query, limit = LIMIT) => findKnowledge(connection, query, limit),
  };
}

/**
 * First what has every word. Then, in turns, what has any word, and what has a word that the index does not know as a
 * part of another one. Only when there is such a word are all messages read.
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
  const weighed = weigh(connection, 'message_words', terms);
  const unknown = weighed.filter(({ weight }) => weight === 'unknown').map(({ term }) => term);
  const all = unknown.length === 0 ? withAll(connection, 'message_words', weighed, window) : [];
  const parts = weigh(connection, 'message_words', partsOf(unknown));
  const any = all.length < most ? withAny(connection, 'message_words', [...weighed, ...parts], window) : [];
  const within = unknown.length > 0 ? await scan(connection, unknown, window, query.signal) : [];
  const best = [...new Set([...all, ...inTurns(within, any)])];
  // Better the latest with a word that tells little than nothing.
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
    const found = row<Stored>(connection, `select ${COLUMNS} from messages where number = :number`, {
      number,
    });
    if (found === undefined) return [];
    const text = found.kind === 'call' ? `${found.name} ${found.text}` : found.text;
    const literal = literalMatches(text, terms);
    return [{ number, at: found.at, kind: found.kind, snippet: snippetOf(text, terms), literal }];
  });
}

/** The index knows no punctuation: of what it gives, that with a term just as it was written goes first. */
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
  const weighed = weigh(connection, 'knowledge_words', terms);
  const unknown = weighed.filter(({ weight }) => weight === 'unknown').map(({ term }) => term);
  const parts = weigh(connection, 'knowledge_words', partsOf(unknown));
  const window = everywhere(limit);
  const keys = new Set([
    ...(unknown.length === 0 ? withAll(connection, 'knowledge_words', weighed, window) : []),
    ...withAny(connection, 'knowledge_words', [...weighed, ...parts], window),
    ...containing(connection, unknown, limit),
  ]);
  return [...keys].slice(0, limit).flatMap((id) => {
    const found = row<FoundEntry>(
      connection,
      'select slug, title, version, body from knowledge where id = :id and archived_at is null',
      { id },
    );
    if (found === undefined) return [];
    const { slug, title, version, body } = found;
    return [{ slug, title, version, snippet: snippetOf(body, terms) }];
  });
}

/** Entries that have one of the terms within a word. */
function containing(connection: Connection, terms: readonly Term[], most: number): number[] {
  return terms.flatMap(({ literal }) => {
    const ids = row<{ ids: string }>(
      connection,
      `select json_group_array(id) as ids from (select id from knowledge where archived_at is null
         and instr(lower(slug || ' ' || title || ' ' || body), lower(:literal)) > 0 order by updated_at desc limit :most)`,
      { literal, most },
    )?.ids;
    return JSON.parse(ids ?? '[]') as number[];
  });
}
