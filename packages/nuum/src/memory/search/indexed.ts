import { type Connection, rows, theRow } from '../../database/connection.ts';
import type { Term } from './words.ts';

/** Which of the two indexes. */
export type IndexName = 'message_words' | 'knowledge_words';

/** Where to look, and for how many. */
export interface Window {
  readonly after: number;
  readonly before: number;
  readonly most: number;
  readonly turnFrom?: number | undefined;
}

/** The tools by which an agent looks into its memory. */
const LOOKUPS = ['recall', 'recall_message', 'reflect', 'background_reflect', 'knowledge_search'];

/** The condition that `turnFrom` of a window sets on the message whose number is in `column`. */
export function noLookup(column: string): string {
  return `not exists (
    select 1 from messages as found left join messages as asked on asked.number = found.call_number
    where found.number = ${column} and (
      (found.number >= :turnFrom and found.kind in ('user', 'assistant'))
      or coalesce(asked.name, found.name) in (${LOOKUPS.map((name) => `'${name}'`).join(', ')})))`;
}

/** Everything. */
export function everywhere(most: number): Window {
  return { after: -1, before: Number.MAX_SAFE_INTEGER, most };
}

/** A term, and whether the index has it: not at all, or so often that it tells little. */
export interface Weighed {
  readonly term: Term;
  readonly weight: 'unknown' | 'telling' | 'common';
}

/** More than this many is common: to rank them takes longer than they are worth. */
const COMMON = 5_000;

/** Looks every term up; a common one costs no more than a rare one. */
export function weigh(connection: Connection, index: IndexName, terms: readonly Term[]): Weighed[] {
  return terms.map((term) => {
    if (term.phrase === undefined) return { term, weight: 'unknown' };
    const { found } = theRow<{ found: number }>(
      connection,
      `select count(*) as found from (select 1 from ${index} where ${index} match :phrase limit ${COMMON + 1})`,
      { phrase: term.phrase },
    );
    if (found === 0) return { term, weight: 'unknown' };
    return { term, weight: found > COMMON ? 'common' : 'telling' };
  });
}

/** Keys of what has all of the terms: the best first, or the latest when no term tells enough to choose by. */
export function withAll(
  connection: Connection,
  index: IndexName,
  terms: readonly Weighed[],
  window: Window,
): number[] {
  const match = terms.flatMap(({ term }) => term.phrase ?? []).join(' AND ');
  const telling = terms.some(({ weight }) => weight === 'telling');
  return matching(connection, index, match, telling ? 'rank' : 'rowid desc', window);
}

/** Keys of what has any of the terms, if only as the beginning of a word; the best first. Common terms do not count. */
export function withAny(
  connection: Connection,
  index: IndexName,
  terms: readonly Weighed[],
  window: Window,
): number[] {
  const telling = terms.filter(({ weight }) => weight === 'telling');
  const match = telling.flatMap(({ term }) => term.beginning ?? term.phrase ?? []).join(' OR ');
  return matching(connection, index, match, 'rank', window);
}

/** Keys of what has any of the common terms, the latest first. */
export function withCommon(
  connection: Connection,
  index: IndexName,
  terms: readonly Weighed[],
  window: Window,
): number[] {
  const common = terms.filter(({ weight }) => weight === 'common');
  const match = common.flatMap(({ term }) => term.phrase ?? []).join(' OR ');
  return matching(connection, index, match, 'rowid desc', window);
}

function matching(
  connection: Connection,
  index: IndexName,
  match: string,
  order: 'rank' | 'rowid desc',
  window: Window,
): number[] {
  if (match === '') return [];
  const { after, before, most, turnFrom } = window;
  const hidden = index === 'message_words' && turnFrom !== undefined;
  return rows<{ key: number }>(
    connection,
    `select rowid as key from ${index} where ${index} match :match and rowid > :after and rowid < :before
     ${hidden ? `and ${noLookup(`${index}.rowid`)}` : ''} order by ${order} limit :most`,
    { match, after, before, most, ...(hidden ? { turnFrom } : {}) },
  ).map(({ key }) => key);
}
