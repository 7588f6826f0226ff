import { findRow, listRows, runStatement } from '@plugboard/sqlite';
import { countForgotten, readCounters } from '../agent/counters.ts';
import { gistByRules, mergedByRules } from '../distil/summary-by-rules.ts';
import type { Memory } from '../memory.ts';
import { messagesBetween } from '../messages/messages.ts';
import { type StoredSummary, SUMMARY_COLUMNS, summaryOf } from '../summaries/stored.ts';
import { writeGist } from './redact-tables.ts';

/** The least size of a summary that is rewritten. */
const LEAST_TOKENS = 200;

/**
 * Deletes messages together with the calls and results that belong to them. Returns these, and the summaries that
 * covered them.
 */
export function deleteMessages(
  { connection }: Memory,
  wanted: readonly number[],
): { messages: number[]; summaries: number[] } {
  const numbers = JSON.stringify(wanted);
  const all = listRows<{ number: number; tokens: number; shown: number }>(
    connection,
    `with wanted as (select value as number from json_each(:numbers)),
       calls as (select number from wanted union
         select call_number from messages where number in (select number from wanted) and call_number is not null),
       whole as (select number from calls union
         select number from messages where call_number in (select number from calls))
     select number, tokens, shown from messages where number in (select number from whole) order by number`,
    { numbers },
  );
  if (all.length === 0) return { messages: [], summaries: [] };
  const { coveredTo } = readCounters(connection);
  const open = all.filter(({ number }) => number > coveredTo);
  const sum = (list: readonly number[]): number => list.reduce((total, value) => total + value, 0);
  for (const { number } of all)
    runStatement(connection, 'delete from messages where number = :number', { number });
  countForgotten(
    connection,
    { messages: all.length, tokens: sum(all.map(({ tokens }) => tokens)) },
    { covered: all.length - open.length, openShown: sum(open.map(({ shown }) => shown)) },
  );
  const messages = all.map(({ number }) => number);
  return { messages, summaries: reduceCovered({ connection }, messages) };
}

/** Subtracts deleted messages from the summaries that cover them. Returns the summaries, lowest level first. */
function reduceCovered({ connection }: Pick<Memory, 'connection'>, messages: readonly number[]): number[] {
  return listRows<{ number: number; level: number }>(
    connection,
    `update summaries set messages = messages - gone from
       (select summaries.number as key, count(*) as gone from summaries
        join json_each(:messages) as message on message.value between from_number and to_number
        group by summaries.number) as fewer
     where summaries.number = fewer.key returning number, level`,
    { messages: JSON.stringify(messages) },
  )
    .sort((a, b) => a.level - b.level || a.number - b.number)
    .map(({ number }) => number);
}

/**
 * Rewrites summaries by rules from the messages and summaries that are left. Deletes a summary of which none is left.
 */
export function rewriteSummaries({ connection }: Memory, numbers: readonly number[]): number[] {
  for (const number of numbers) {
    const summary = findRow<StoredSummary>(
      connection,
      `select ${SUMMARY_COLUMNS} from summaries where number = :number`,
      { number },
    );
    if (summary === undefined) continue;
    const parts = listRows<StoredSummary>(
      connection,
      `select ${SUMMARY_COLUMNS} from summaries where parent = :number order by from_number`,
      { number },
    );
    const messages = summary.level === 0 ? messagesBetween(connection, summary.from, summary.to) : [];
    if (parts.length + messages.length === 0) {
      runStatement(connection, 'delete from summaries where number = :number', { number });
      continue;
    }
    const size = Math.max(LEAST_TOKENS, summary.tokens);
    const gist =
      summary.level === 0 ? gistByRules(messages, size) : mergedByRules(parts.map(summaryOf), size);
    writeGist(connection, number, gist.context, gist.facts);
    runStatement(connection, "update summaries set made_by = 'rules' where number = :number", { number });
  }
  return [...numbers];
}
