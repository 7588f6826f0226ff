import { type Connection, listRows, requireRow } from '../connection.ts';
import type { SessionRow } from '../sessions/session-rows.ts';

/** SQL: the lowest rank of a ready session. Of sessions with equal ranks, the oldest message comes first. */
const LOWEST_RANK = `coalesce((select min(other.rank) from sessions as other
  where other.waiting > 0 and other.running = 0 and other.closed = 0), 0)`;

/**
 * SQL: the rank of a session whose oldest waiting message belongs to `principal`, which is SQL too. Sessions are claimed by
 * ascending rank: each further session of a principal gets the next higher rank, and a principal without waiting sessions
 * gets `LOWEST_RANK`, so that principals are served in rotation. `claimReady` ranks a session anew, behind the others of
 * its principal.
 */
function rankSql(principal: string): string {
  return `max(
    coalesce((select max(other.rank) + 1 from sessions as other where other.waiting > 0 and other.principal = ${principal}), 0),
    ${LOWEST_RANK})`;
}

/** SQL: the principal of the oldest waiting message of a session. */
const OLDEST_PRINCIPAL = `coalesce((select messages.principal from messages
  where session = sessions.seq and state = 'waiting' order by messages.seq limit 1), '')`;

// Increments `waiting`, where `countWaiting` counts rows: admissions are the most frequent write.
const NOTE_ADMITTED = `
  update sessions
  set last_event = :number, waiting = waiting + 1, oldest_waiting = coalesce(oldest_waiting, :message),
    principal = iif(oldest_waiting is null, :principal, principal),
    rank = iif(oldest_waiting is null, ${rankSql(':principal')}, rank),
    updated_at = :now
  where seq = :session
  returning rank`;

/** Adds a waiting message, whose event has `number`, to the queue. Returns the rank of the session. */
export function enqueueAdmitted(
  connection: Connection,
  admitted: {
    readonly session: number;
    readonly message: number;
    readonly principal: string;
    readonly number: number;
    readonly now: number;
  },
): number {
  return requireRow<{ rank: number }>(connection, NOTE_ADMITTED, admitted).rank;
}

const OLDEST = `(select min(messages.seq) from messages where session = sessions.seq and state = 'waiting')`;

// Counts rows, so that the result is right however messages were moved. A session whose oldest message was put back gets
// `LOWEST_RANK`: it was next before, and is next again.
const COUNT_WAITING = `
  update sessions
  set (waiting, oldest_waiting) =
    (select count(*), min(messages.seq) from messages where session = sessions.seq and state = 'waiting'),
    principal = ${OLDEST_PRINCIPAL},
    rank = iif(${OLDEST} < coalesce(oldest_waiting, ${OLDEST} + 1), ${LOWEST_RANK}, rank)
  where seq = :session
  returning *`;

/** Call after messages of a session were taken, dropped or put back. */
export function countWaiting(connection: Connection, session: number): SessionRow {
  return requireRow(connection, COUNT_WAITING, { session });
}

/** SQL: no other node than `:node` has a lease of the session at `:now`. */
export const NO_OTHER_LEASE = '(node is null or node = :node or lease_until <= :now)';

// The partial index `sessions_ready` has the ready sessions in this order: SQLite reads its first `limit` entries, and
// those of agents in `:except`.
const readySessions = (condition: string): string => `
  select seq, oldest_waiting as message from sessions
  where waiting > 0 and running = 0 and closed = 0 and ${NO_OTHER_LEASE} ${condition}
  order by rank, oldest_waiting
  limit :limit`;

const FIND_ANY_READY = readySessions('');

// A separate statement: `json_each` takes longer than the rest of the query, and the list is mostly empty.
const FIND_READY_EXCEPT = readySessions('and agent not in (select value from json_each(:except))');

interface Ready {
  readonly seq: number;
  /** The `seq` of the oldest waiting message. */
  readonly message: number;
}

/** The next sessions, by rank and then by the age of their oldest message. */
export function findReadySessions(
  connection: Connection,
  {
    except,
    ...query
  }: {
    readonly node: string;
    readonly now: number;
    readonly limit: number;
    readonly except: readonly string[];
  },
): Ready[] {
  return except.length === 0
    ? listRows(connection, FIND_ANY_READY, query)
    : listRows(connection, FIND_READY_EXCEPT, { ...query, except: JSON.stringify(except) });
}

// One statement per session takes half the time of one `update` that finds and marks all of them.
const CLAIM_READY = `
  update sessions
  set running = 1, node = :node, lease_until = :until, fence = fence + 1,
    (waiting, oldest_waiting) =
      (select count(*), min(messages.seq) from messages where session = sessions.seq and state = 'waiting'),
    principal = ${OLDEST_PRINCIPAL}, rank = ${rankSql(OLDEST_PRINCIPAL)}
  where seq = :seq
  returning *`;

/** Call after `takeMessage` has taken the oldest message: ranks and counts the rest. */
export function claimReady(
  connection: Connection,
  holder: { readonly seq: number; readonly node: string; readonly until: number },
): SessionRow {
  return requireRow(connection, CLAIM_READY, holder);
}
