import { LostClaimError } from '../../../contract/errors.ts';
import type { Claim, Holder, Lease } from '../../../contract/turns.ts';
import { findRow, listRows, runStatement, type Transaction } from '../connection.ts';
import { newId } from '../context.ts';
import { NO_OTHER_LEASE, rankSql } from '../messages/session-queue.ts';
import { type MessageRow, SELECT_MESSAGES, toMessage } from '../messages/turn-messages.ts';
import { type SessionRow, toSession } from '../sessions/session-rows.ts';

// A session that another node claims at this moment is locked, and skipped. The partial index `sessions_ready` has the ready
// sessions in this order.
const LOCK_READY = `
  select seq from sessions
  where waiting > 0 and not running and not closed and ${NO_OTHER_LEASE} and agent <> all(:except::text[])
  order by rank, oldest_waiting
  limit :limit
  for no key update skip locked`;

const LEFT_OVER = `
  select session, count(*)::integer as count, min(seq) as oldest, (array_agg(principal order by seq))[1] as principal
  from messages
  where session = any(:sessions::bigint[]) and state = 'waiting'
    and seq not in (select oldest_waiting from sessions where seq = any(:sessions::bigint[]))
  group by session`;

// Each session is ranked behind the others of its principal, and among themselves in the order of their claim.
const CLAIM_READY = `
  with given as (
    select session, turn, line from unnest(:sessions::bigint[], :turns::text[]) with ordinality as given (session, turn, line)),
  begun as (
    insert into turns (id, session, agent, message, state, started_at, after_number)
    select given.turn, seq, agent, oldest_waiting, 'running', :now::bigint, last_event
    from given join sessions on sessions.seq = given.session
    returning seq, id, session, message),
  taken as (
    update messages set state = 'taken', turn = begun.seq from begun where messages.seq = begun.message),
  left_over as (${LEFT_OVER})
  update sessions
  set running = true, node = :node::text, lease_until = :now::bigint + :leaseMs::bigint, fence = fence + 1,
    waiting = coalesce(left_over.count, 0), oldest_waiting = left_over.oldest,
    principal = coalesce(left_over.principal, ''),
    rank = ${rankSql("coalesce(left_over.principal, '')")} + given.line - 1
  from given left join left_over on left_over.session = given.session, begun
  where sessions.seq = given.session and begun.session = given.session
  returning sessions.*, begun.id as turn_id, begun.message as message, given.line as line`;

interface ClaimedRow extends SessionRow {
  readonly turn_id: string;
  /** The `seq` of the oldest message. */
  readonly message: number;
  readonly line: number;
}

const LIST_MESSAGES = `${SELECT_MESSAGES} where messages.seq = any(:messages::bigint[])`;

/** `Turns.claim`, inside the transaction of the caller. */
export async function claimSessions(
  transaction: Transaction,
  {
    node,
    leaseMs,
    limit,
    except = [],
  }: Holder & { readonly limit: number; readonly except?: readonly string[] },
): Promise<Claim[]> {
  const ready = await listRows<{ seq: number }>(transaction, LOCK_READY, { node, limit, except });
  if (ready.length === 0) return [];
  const sessions = ready.map(({ seq }) => seq);
  const turns = sessions.map(() => newId(transaction.now));
  const rows = await listRows<ClaimedRow>(transaction, CLAIM_READY, { sessions, turns, node, leaseMs });
  const messages = await listRows<MessageRow>(transaction, LIST_MESSAGES, {
    messages: rows.map(({ message }) => message),
  });
  const bySeq = new Map(messages.map((message) => [message.seq, message]));
  rows.sort((one, other) => one.line - other.line);
  return rows.map((row) => toClaim(row, row.turn_id, transaction.now, bySeq.get(row.message)));
}

const CLAIM_SESSION = `
  with claimed as (
    update sessions
    set running = true, node = :node, lease_until = :now::bigint + :leaseMs::bigint, fence = fence + 1
    where id = :id and not running and not closed and ${NO_OTHER_LEASE}
    returning *),
  begun as (
    insert into turns (id, session, agent, state, started_at, after_number)
    select :turn, seq, agent, 'running', :now::bigint, last_event from claimed)
  select * from claimed`;

/** `Turns.claimOwn`, inside the transaction of the caller. */
export async function claimOwn(
  transaction: Transaction,
  sessionId: string,
  { node, leaseMs }: Holder,
): Promise<Claim | undefined> {
  const turn = newId(transaction.now);
  const session = await findRow<SessionRow>(transaction, CLAIM_SESSION, {
    id: sessionId,
    turn,
    node,
    leaseMs,
  });
  return session === undefined ? undefined : toClaim(session, turn, transaction.now, undefined);
}

function toClaim(session: SessionRow, turn: string, at: number, message: MessageRow | undefined): Claim {
  return {
    session: toSession(session),
    turn: {
      id: turn,
      sessionId: session.id,
      agent: session.agent,
      messageId: message?.id,
      state: 'running',
      startedAt: at,
      endedAt: undefined,
      end: undefined,
    },
    message: message === undefined ? undefined : toMessage(message),
    fence: session.fence,
  };
}

/** The session and turn of a claim, as `seq`, and the numbers of their last events. */
export interface HeldTurn {
  readonly session: number;
  readonly turn: number;
  readonly last_event: number;
  readonly after_number: number;
}

// The row of the session alone: it changes with each claim, and its lock keeps other nodes from claiming.
const LOCK_HELD = `
  select seq from sessions where id = :sessionId and running and fence = :fence for no key update`;

// `fence` tells the claims of a session apart. The turn id is compared too, since a store restored from a backup counts
// fences from an older value again.
const FIND_HELD = `
  select sessions.seq as session, turns.seq as turn, last_event, after_number
  from turns join sessions on sessions.seq = turns.session
  where turns.id = :turnId and turns.state = 'running' and sessions.running and sessions.fence = :fence`;

/** Locks the session. Throws `LostClaimError` when the claim was lost. */
export async function requireHeld(transaction: Transaction, claimed: Claim): Promise<HeldTurn> {
  const { fence } = claimed;
  await listRows(transaction, LOCK_HELD, { sessionId: claimed.session.id, fence });
  const found = await findRow<HeldTurn>(transaction, FIND_HELD, { turnId: claimed.turn.id, fence });
  if (found === undefined) throw new LostClaimError(claimed.session.id);
  return found;
}

// In one order, so that two transactions do not wait for each other.
const LOCK_LEASES = 'select 1 from sessions where id = any(:ids::text[]) order by seq for no key update';

const TAKE_LEASE = `
  update sessions set node = :node, lease_until = :now::bigint + :leaseMs::bigint, fence = fence + 1
  where id = :id and not running and not closed and ${NO_OTHER_LEASE}
  returning *`;

/** `Turns.lease`, inside the transaction of the caller. */
export async function takeLease(
  transaction: Transaction,
  id: string,
  { node, leaseMs }: Holder,
): Promise<Lease | undefined> {
  const session = await findRow<SessionRow>(transaction, TAKE_LEASE, { id, node, leaseMs });
  return session && { session: toSession(session), fence: session.fence };
}

// A lease without a turn that has run out can be claimed by any node, which raises `fence`. One with a turn can be renewed
// until `recover` has ended the turn.
const RENEW_LEASES = `
  update sessions set lease_until = :now::bigint + :leaseMs::bigint
  from unnest(:ids::text[], :fences::bigint[]) as lease (id, fence)
  where sessions.id = lease.id and sessions.fence = lease.fence and node is not null
  returning sessions.id, sessions.fence`;

/** Resolves to the ids of sessions whose lease was lost. */
export async function renewLeases(
  transaction: Transaction,
  leases: readonly Lease[],
  leaseMs: number,
): Promise<string[]> {
  const ids = leases.map(({ session }) => session.id);
  const fences = leases.map(({ fence }) => fence);
  if (ids.length === 0) return [];
  await listRows(transaction, LOCK_LEASES, { ids });
  const renewed = await listRows<{ id: string; fence: number }>(transaction, RENEW_LEASES, {
    ids,
    fences,
    leaseMs,
  });
  const isRenewed = ({ session, fence }: Lease): boolean =>
    renewed.some((kept) => kept.id === session.id && kept.fence === fence);
  return leases.filter((lease) => !isRenewed(lease)).map(({ session }) => session.id);
}

const RELEASE_LEASE = `
  update sessions set node = null, lease_until = null where id = :id and fence = :fence and not running`;

/** Frees a session that has no running turn, unless its lease was lost. */
export async function releaseLease(
  transaction: Transaction,
  { session: { id }, fence }: Lease,
): Promise<void> {
  await runStatement(transaction, RELEASE_LEASE, { id, fence });
}
