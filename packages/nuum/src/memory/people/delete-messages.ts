import { row, rows, run } from '../../database/connection.ts';
import { counters, countForgotten } from '../agent/counters.ts';
import { gistByRules, mergedByRules } from '../distil/rules.ts';
import type { Memory } from '../memory.ts';
import { messagesBetween } from '../messages/messages.ts';
import { type StoredSummary, SUMMARY_COLUMNS, summaryOf } from '../summaries/stored.ts';
import { writeGist } from './redact-tables.ts';

/** What a summary that is written anew may take, if that is more than it took. */
const LEAST_TOKENS = 200;

/** Deletes messages, with the calls and results that go with them; gives these and the summaries that stood for them. */
export function deleteMessages(
  { connection }: Memory,
  wanted: readonly number[],
): { messages: number[]; summaries: number[] } {
  const numbers = JSON.stringify(wanted);
  const all = rows<{ number: number; tokens: number; shown: number }>(
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
  const { coveredTo } = counters(connection);
  const open = all.filter(({ number }) => number > coveredTo);
  const sum = (list: readonly number[]): number => list.reduce((total, value) => total + value, 0);
  for (const { number } of all) run(connection, 'delete from messages where number = :number', { number });
  countForgotten(
    connection,
    { messages: all.length, tokens: sum(all.map(({ tokens }) => tokens)) },
    { covered: all.length - open.length, openShown: sum(open.map(({ shown }) => shown)) },
  );
  const messages = all.map(({ number }) => number);
  return { messages, summaries: standForFewer({ connection }, messages) };
}

/** Takes the messages off the summaries that stand for them, and gives these, the lowest level first. */
function standForFewer({ connection }: Pick<Memory, 'connection'>, messages: readonly number[]): number[] {
  return rows<{ number: number; level: number }>(
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

/** Writes summaries anew from what is left of what they stand for, without a model; one that stands for nothing goes. */
export function resummarise({ connection }: Memory, numbers: readonly number[]): number[] {
  for (const number of numbers) {
    const summary = row<StoredSummary>(
      connection,
      `select ${SUMMARY_COLUMNS} from summaries where number = :number`,
      { number },
    );
    if (summary === undefined) continue;
    const parts = rows<StoredSummary>(
      connection,
      `select ${SUMMARY_COLUMNS} from summaries where parent = :number order by from_number`,
      { number },
    );
    const messages = summary.level === 0 ? messagesBetween(connection, summary.from, summary.to) : [];
    if (parts.length + messages.length === 0) {
      run(connection, 'delete from summaries where number = :number', { number });
      continue;
    }
    const size = Math.max(LEAST_TOKENS, summary.tokens);
    const gist =
      summary.level === 0 ? gistByRules(messages, size) : mergedByRules(parts.map(summaryOf), size);
    writeGist(connection, number, gist.context, gist.facts);
    run(connection, "update summaries set made_by = 'rules' where number = :number", { number });
  }
  return [...numbers];
}
