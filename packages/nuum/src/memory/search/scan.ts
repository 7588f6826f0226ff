import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { type Connection, row, rows } from '../../database/connection.ts';
import { noLookup, type Window } from './indexed.ts';
import type { Term } from './words.ts';

/** So many messages take some milliseconds; between two such steps, everything else has its turn. */
const STEP = 2_000;

/**
 * Keys of messages in which a term stands as it is, even within a word, latest first. Reads every message, in steps, and
 * stops when it has enough.
 */
export async function scan(
  connection: Connection,
  terms: readonly Term[],
  window: Window,
  signal?: AbortSignal,
): Promise<number[]> {
  const needles = JSON.stringify(needlesOf(terms));
  const found: number[] = [];
  const last =
    row<{ last: number | null }>(connection, 'select max(number) as last from messages')?.last ?? 0;
  let to = Math.min(last, window.before - 1);
  while (to > window.after && found.length < window.most && signal?.aborted !== true) {
    const from = Math.max(window.after + 1, to - STEP + 1);
    found.push(...step(connection, needles, { from, to, turnFrom: window.turnFrom }));
    to = from - 1;
    await yieldToOthers();
    if (!connection.database.isOpen) break;
  }
  return found.slice(0, window.most);
}

function step(
  connection: Connection,
  needles: string,
  { from, to, turnFrom }: { from: number; to: number; turnFrom: number | undefined },
): number[] {
  return rows<{ number: number }>(
    connection,
    `select number from messages where number between :from and :to
       and exists (select 1 from json_each(:needles) where instr(lower(text), value) > 0)
       ${turnFrom === undefined ? '' : `and ${noLookup('messages.number')}`}
     order by number desc`,
    { needles, from, to, ...(turnFrom === undefined ? {} : { turnFrom }) },
  ).map(({ number }) => number);
}

/** Each literal, and what becomes of it in the JSON of a call. SQLite folds the case of ASCII letters alone. */
function needlesOf(terms: readonly Term[]): string[] {
  const literals = terms.map(({ literal }) => literal.replaceAll(/[A-Z]+/g, (upper) => upper.toLowerCase()));
  return [...new Set(literals.flatMap((literal) => [literal, JSON.stringify(literal).slice(1, -1)]))];
}
