import { LostClaimError } from '../../../contract/errors.ts';
import type { Claim, Holder, Lease } from '../../../contract/turns.ts';
import { type Connection, findRow, runStatement } from '../connection.ts';
import { type Context, newId } from '../context.ts';
import { claimReady, findReadySessions, NO_OTHER_LEASE } from '../messages/session-queue.ts';
import type { MessageRow } from '../messages/turn-messages.ts';
import { findMessage, takeMessage, toMessage } from '../messages/turn-messages.ts';
import type { SessionRow } from '../sessions/session-rows.ts';
import { toSession } from '../sessions/session-rows.ts';

/** `Turns.claim`, inside the transaction of the caller. */
export function claimSessions(
  context: Context,
  {
    node,
    leaseMs,
    limit,
    except = [],
  }: Holder & { readonly limit: number; readonly except?: readonly string[] },
): Claim[] {
  const { connection } = context;
  const now = context.now();
  const until = now + leaseMs;
  return findReadySessions(connection, { node, now, limit, except }).map(({ seq, message }) => {
    const begun = startTurn(context, seq, message);
    takeMessage(connection, message, begun.seq);
    return toClaim(claimReady(connection, { seq, node, until }), begun, findMessage(connection, message));
  });
}

const CLAIM_SESSION = `
  update sessions
  set running = 1, node = :node, lease_until = :until, fence = fence + 1
  where id = :id and running = 0 and closed = 0 and ${NO_OTHER_LEASE}
  returning *`;

/** `Turns.claimOwn`, inside the transaction of the caller. */
export function claimOwn(context: Context, sessionId: string, holder: Holder): Claim | undefined {
  const now = context.now();
  const session = findRow<SessionRow>(context.connection, CLAIM_SESSION, {
    id: sessionId,
    node: holder.node,
    now,
    until: now + holder.leaseMs,
  });
  return session === undefined
    ? undefined
    : toClaim(session, startTurn(context, session.seq, null), undefined);
}

const BEGIN_TURN = `
  insert into turns (id, session, agent, message, state, started_at, after_number)
  select :id, seq, agent, :message, 'running', :now, last_event from sessions where seq = :session`;

interface Begun {
  readonly seq: number;
  readonly id: string;
  readonly at: number;
}

function startTurn({ connection, now }: Context, session: number, message: number | null): Begun {
  const at = now();
  const id = newId(at);
  return { seq: runStatement(connection, BEGIN_TURN, { id, session, message, now: at }).seq, id, at };
}

/** Builds the turn from the values that `startTurn` wrote, without reading it again. */
function toClaim(session: SessionRow, { id, at }: Begun, message: MessageRow | undefined): Claim {
  return {
    session: toSession(session),
    turn: {
      id,
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

// `fence` tells the claims of a session apart. The turn id is compared too, since a store restored from a backup counts
// fences from an older value again.
const FIND_HELD = `
  select sessions.seq as session, turns.seq as turn, last_event, after_number
  from turns join sessions on sessions.seq = turns.session
  where turns.id = :turnId and turns.state = 'running' and sessions.running = 1 and sessions.fence = :fence`;

/** Undefined when the claim was lost. */
function findHeld(
  connection: Connection,
  claim: { readonly turnId: string; readonly fence: number },
): HeldTurn | undefined {
  return findRow(connection, FIND_HELD, claim);
}

/** Throws `LostClaimError` when the claim was lost. */
export function requireHeld(connection: Connection, claimed: Claim): HeldTurn {
  const found = findHeld(connection, { turnId: claimed.turn.id, fence: claimed.fence });
  if (found === undefined) throw new LostClaimError(claimed.session.id);
  return found;
}

const TAKE_LEASE = `
  update sessions set node = :node, lease_until = :until, fence = fence + 1
  where id = :id and running = 0 and closed = 0 and ${NO_OTHER_LEASE}
  returning *`;

/** `Turns.lease`. */
export function takeLease(
  { connection, now }: Context,
  id: string,
  { node, leaseMs }: Holder,
): Lease | undefined {
  const at = now();
  const session = findRow<SessionRow>(connection, TAKE_LEASE, { id, node, now: at, until: at + leaseMs });
  return session && { session: toSession(session), fence: session.fence };
}

// A lease without a turn that has run out can be claimed by any node, which raises `fence`. One with a turn can be renewed
// until `recover` has ended the turn.
const RENEW_LEASE = `
  update sessions set lease_until = :until where id = :id and fence = :fence and node is not null`;

/** Returns the ids of sessions whose lease was lost. */
export function renewLeases(
  { connection, now }: Context,
  leases: readonly Lease[],
  leaseMs: number,
): string[] {
  const until = now() + leaseMs;
  const isRenewed = ({ session: { id }, fence }: Lease): boolean =>
    runStatement(connection, RENEW_LEASE, { id, fence, until }).changes > 0;
  return leases.filter((lease) => !isRenewed(lease)).map(({ session }) => session.id);
}

const RELEASE_LEASE = `
  update sessions set node = null, lease_until = null where id = :id and fence = :fence and running = 0`;

/** Frees a session that has no running turn, unless its lease was lost. */
export function releaseLease({ connection }: Context, { session: { id }, fence }: Lease): void {
  runStatement(connection, RELEASE_LEASE, { id, fence });
}
