import { runStatement, type Transaction } from '../connection.ts';

/** SQL: the lowest rank of a ready session. Of sessions with equal ranks, the oldest message comes first. */
const LOWEST_RANK = `coalesce((select min(other.rank) from sessions as other
  where other.waiting > 0 and not other.running and not other.closed), 0)`;

/**
 * SQL: the rank of a session whose oldest waiting message belongs to `principal`, which is SQL too. Sessions are claimed by
 * ascending rank: each further session of a principal gets the next higher rank, and a principal without waiting sessions
 * gets `LOWEST_RANK`, so that principals are served in rotation. Two transactions at once can give one rank twice: the age of
 * the oldest message then decides.
 */
export function rankSql(principal: string): string {
  return `greatest(
    coalesce((select max(other.rank) + 1 from sessions as other
      where other.waiting > 0 and other.principal = ${principal}), 0),
    ${LOWEST_RANK})`;
}

// Counts rows, so that the result is right however messages were moved. A session whose oldest message was put back gets
// `LOWEST_RANK`: it was next before, and is next again.
const COUNT_WAITING = `
  update sessions
  set waiting = left_over.count, oldest_waiting = left_over.oldest, principal = coalesce(left_over.principal, ''),
    rank = case when left_over.oldest < coalesce(oldest_waiting, left_over.oldest + 1) then ${LOWEST_RANK} else rank end
  from (
    select count(*)::integer as count, min(seq) as oldest, (array_agg(messages.principal order by seq))[1] as principal
    from messages where session = :session and state = 'waiting') as left_over
  where sessions.seq = :session`;

/** Call after messages of a locked session were taken, dropped or put back. */
export async function countWaiting(transaction: Transaction, session: number): Promise<void> {
  await runStatement(transaction, COUNT_WAITING, { session });
}

/** SQL: no other node than `:node` has a lease of the session at `:now`. */
export const NO_OTHER_LEASE = '(node is null or node = :node::text or lease_until <= :now::bigint)';
