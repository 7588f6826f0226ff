import { type Connection, rows, theRow } from '../../database/connection.ts';
import type { Summary } from '../memory.ts';
import { estimateTokens, MESSAGE_OVERHEAD } from '../tokens.ts';

/** A summary as its row has it. */
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

/** The columns of a row, by the names of `StoredSummary`. */
export const SUMMARY_COLUMNS = `number, level, from_number as "from", to_number as "to", from_at as fromAt,
  to_at as toAt, messages, context, facts, tokens, made_by as madeBy, created_at as createdAt, parent`;

/** The summaries that no other one stands for, oldest first: few, since they are merged. */
export function shownSummaries(connection: Connection): StoredSummary[] {
  return rows<StoredSummary>(
    connection,
    `select ${SUMMARY_COLUMNS} from summaries where parent is null order by from_number`,
  );
}

/** What the shown summaries take of a prompt. */
export function shownTokens(connection: Connection): number {
  return theRow<{ tokens: number }>(
    connection,
    'select coalesce(sum(tokens), 0) as tokens from summaries where parent is null',
  ).tokens;
}

/** A row as the model is shown it. */
export function summaryOf(stored: StoredSummary): Summary {
  const { number, from, to, fromAt, toAt, context } = stored;
  return { number, from, to, fromAt, toAt, context, facts: JSON.parse(stored.facts) as string[] };
}

/** What a summary takes of a prompt. */
export function summaryTokens(context: string, facts: readonly string[]): number {
  const listed = facts.reduce((sum, fact) => sum + estimateTokens(fact) + 1, 0);
  return estimateTokens(context) + listed + 2 * MESSAGE_OVERHEAD;
}
