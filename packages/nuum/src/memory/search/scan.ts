import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { type Connection, findRow, listRows } from '@plugboard/sqlite';
import { noLookup, type Window } from './indexed.ts';
import type { Term } from './words.ts';

/** Reading this number of messages takes a few milliseconds. The event loop runs between two steps. */
const STEP = 2_000;

/**
 * Numbers of messages that contain a term as a substring, latest first. Reads all messages in steps, until there are
 * `window.most`.
 */
export async function scanMessages(
  connection: Connection,
  terms: readonly Term[],
  window: Window,
  signal?: AbortSignal,
): Promise<number[]> {
  const needles = JSON.stringify(needlesOf(terms));
  const found: number[] = [];
  const last =
    findRow<{ last: number | null }>(connection, 'select max(number) as last from messages')?.last ?? 0;
  let to = Math.min(last, window.before - 1);
  while (to > window.after && found.length < window.most && signal?.aborted !== true) {
    const from = Math.max(window.after + 1, to - STEP + 1);
    found.push(...scanStep(connection, needles, { from, to, turnFrom: window.turnFrom }));
    to = from - 1;
    await yieldToOthers();
    if (!connection.database.isOpen) break;
  }
  return found.slice(0, window.most);
}

function scanStep(
  connection: Connection,
  needles: string,
  { from, to, turnFrom }: { from: number; to: number; turnFrom: number | undefined },
): number[] {
  return listRows<{ number: number }>(
    connection,
    `select number from messages where number between :from and :to
       and exists (select 1 from json_each(:needles) where instr(lower(text), value) > 0)
       ${turnFrom === undefined ? '' : `and ${noLookup('messages.number')}`}
     order by number desc`,
    { needles, from, to, ...(turnFrom === undefined ? {} : { turnFrom }) },
  ).map(({ number }) => number);
}

/** Each literal, and its form within the JSON of a call. `lower` of SQLite changes ASCII letters alone. */
function needlesOf(terms: readonly Term[]): string[] {
  const literals = terms.map(({ literal }) => literal.replaceAll(/[A-Z]+/g, (upper) => upper.toLowerCase()));
  return [...new Set(literals.flatMap((literal) => [literal, JSON.stringify(literal).slice(1, -1)]))];
}
