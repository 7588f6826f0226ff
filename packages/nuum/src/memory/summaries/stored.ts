import { type Connection, listRows, requireRow } from '@plugboard/sqlite';
import { estimateTokens, MESSAGE_OVERHEAD } from '../tokens.ts';

/** The summary of a range of messages, which prompts show instead of them. */
export interface Summary {
  readonly number: number;
  /** Numbers of the first and the last message. */
  readonly from: number;
  readonly to: number;
  /** Times of the first and the last message. */
  readonly fromAt: number;
  readonly toAt: number;
  /** The course of events. */
  readonly context: string;
  /** Names, numbers and decisions, one sentence each. */
  readonly facts: readonly string[];
}

/** A row of `summaries`. */
export interface StoredSummary {
  readonly number: number;
  readonly level: number;
  readonly from: number;
  readonly to: number;
  readonly fromAt: number;
  readonly toAt: number;
  readonly messages: number;
  readonly context: string;
  readonly facts: string;
  readonly tokens: number;
  readonly madeBy: 'model' | 'rules';
  readonly createdAt: number;
  readonly parent: number | null;
}

/** The columns of a row, named as in `StoredSummary`. */
export const SUMMARY_COLUMNS = `number, level, from_number as "from", to_number as "to", from_at as fromAt,
  to_at as toAt, messages, context, facts, tokens, made_by as madeBy, created_at as createdAt, parent`;

/** The summaries without a parent, oldest first. Merging keeps them few. */
export function shownSummaries(connection: Connection): StoredSummary[] {
  return listRows<StoredSummary>(
    connection,
    `select ${SUMMARY_COLUMNS} from summaries where parent is null order by from_number`,
  );
}

/** The tokens of all shown summaries. */
export function shownTokens(connection: Connection): number {
  return requireRow<{ tokens: number }>(
    connection,
    'select coalesce(sum(tokens), 0) as tokens from summaries where parent is null',
  ).tokens;
}

/** The summary of a row. */
export function summaryOf(stored: StoredSummary): Summary {
  const { number, from, to, fromAt, toAt, context } = stored;
  return { number, from, to, fromAt, toAt, context, facts: JSON.parse(stored.facts) as string[] };
}

/** The estimated tokens of a summary in a prompt. */
export function summaryTokens(context: string, facts: readonly string[]): number {
  const listed = facts.reduce((sum, fact) => sum + estimateTokens(fact) + 1, 0);
  return estimateTokens(context) + listed + 2 * MESSAGE_OVERHEAD;
}
