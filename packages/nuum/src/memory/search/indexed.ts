import { type Connection, listRows, requireRow } from '@plugboard/sqlite';
import type { Term } from './words.ts';

/** The FTS tables. */
export type IndexName = 'message_words' | 'knowledge_words';

/** The bounds and the number of results of a search. */
export interface Window {
  readonly after: number;
  readonly before: number;
  readonly most: number;
  readonly turnFrom?: number | undefined;
}

/** Tools that search the memory: their results repeat texts of other messages. */
const LOOKUPS = ['recall', 'recall_message', 'reflect', 'background_reflect', 'knowledge_search'];

/** The SQL condition of `turnFrom`, for the message whose number is in `column`. */
export function noLookup(column: string): string {
  return `not exists (
    select 1 from messages as found left join messages as asked on asked.number = found.call_number
    where found.number = ${column} and (
      (found.number >= :turnFrom and found.kind in ('user', 'assistant'))
      or coalesce(asked.name, found.name) in (${LOOKUPS.map((name) => `'${name}'`).join(', ')})))`;
}

/** A window without bounds. */
export function unboundedWindow(most: number): Window {
  return { after: -1, before: Number.MAX_SAFE_INTEGER, most };
}

/** A term and how often the index has it: never, or more than `COMMON` times. */
export interface Weighed {
  readonly term: Term;
  readonly weight: 'unknown' | 'telling' | 'common';
}

/** Terms with more rows are not ranked: that would take longer than their rank is worth. */
const COMMON = 5_000;

/** Counts the rows of each term, up to `COMMON`: a common term takes no longer than a rare one. */
export function weighTerms(connection: Connection, index: IndexName, terms: readonly Term[]): Weighed[] {
  return terms.map((term) => {
    if (term.phrase === undefined) return { term, weight: 'unknown' };
    const { found } = requireRow<{ found: number }>(
      connection,
      `select count(*) as found from (select 1 from ${index} where ${index} match :phrase limit ${COMMON + 1})`,
      { phrase: term.phrase },
    );
    if (found === 0) return { term, weight: 'unknown' };
    return { term, weight: found > COMMON ? 'common' : 'telling' };
  });
}

/** Rowids of texts with all terms: ranked, or latest first when all terms are common. */
export function withAll(
  connection: Connection,
  index: IndexName,
  terms: readonly Weighed[],
  window: Window,
): number[] {
  const match = terms.flatMap(({ term }) => term.phrase ?? []).join(' AND ');
  const telling = terms.some(({ weight }) => weight === 'telling');
  return findMatches(connection, index, match, telling ? 'rank' : 'rowid desc', window);
}

/** Rowids of texts with any term that is not common, also as the beginning of a word. Ranked. */
export function withAny(
  connection: Connection,
  index: IndexName,
  terms: readonly Weighed[],
  window: Window,
): number[] {
  const telling = terms.filter(({ weight }) => weight === 'telling');
  const match = telling.flatMap(({ term }) => term.beginning ?? term.phrase ?? []).join(' OR ');
  return findMatches(connection, index, match, 'rank', window);
}

/** Rowids of texts with any common term, latest first. */
export function withCommon(
  connection: Connection,
  index: IndexName,
  terms: readonly Weighed[],
  window: Window,
): number[] {
  const common = terms.filter(({ weight }) => weight === 'common');
  const match = common.flatMap(({ term }) => term.phrase ?? []).join(' OR ');
  return findMatches(connection, index, match, 'rowid desc', window);
}

function findMatches(
  connection: Connection,
  index: IndexName,
  match: string,
  order: 'rank' | 'rowid desc',
  window: Window,
): number[] {
  if (match === '') return [];
  const { after, before, most, turnFrom } = window;
  const hidden = index === 'message_words' && turnFrom !== undefined;
  return listRows<{ key: number }>(
    connection,
    `select rowid as key from ${index} where ${index} match :match and rowid > :after and rowid < :before
     ${hidden ? `and ${noLookup(`${index}.rowid`)}` : ''} order by ${order} limit :most`,
    { match, after, before, most, ...(hidden ? { turnFrom } : {}) },
  ).map(({ key }) => key);
}
