/** The lowest rank of a session that waits for a turn, as an SQL expression: of sessions with this rank, the oldest message comes first. */
export const LOWEST_RANK = `coalesce((select min(other.rank) from sessions as other
  where other.waiting > 0 and other.running = 0 and other.closed = 0), 0)`;

/**
 * The rank of a session whose oldest waiting message now belongs to `principal` (an SQL expression). Sessions are answered in the order of ranks, which makes
 * principals take turns: one with many sessions waiting gets ever higher ranks, and one with none gets the lowest that waits. A session that was
 * claimed and has more messages is ranked anew, behind the others of its principal.
 */
export function rankFor(principal: string): string {
  return `max(
    coalesce((select max(other.rank) + 1 from sessions as other where other.waiting > 0 and other.principal = ${principal}), 0),
    ${LOWEST_RANK})`;
}

/** The principal of the oldest message of a session that waits, as an SQL expression. */
export const OLDEST_PRINCIPAL = `coalesce((select messages.principal from messages
  where session = sessions.seq and state = 'waiting' order by messages.seq limit 1), '')`;
