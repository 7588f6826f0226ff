import { LostClaimError, StoreError } from '../../../contract/errors.ts';
import type { Message } from '../../../contract/records.ts';
import type { Claim } from '../../../contract/turns.ts';
import type { Connection } from '../connection.ts';
import type { Context } from '../context.ts';
import { newId } from '../id.ts';
import { type MessageRow, toMessage } from '../records/message.ts';
import { type SessionRow, toSession } from '../records/session.ts';
import { hasSaid } from '../statements/events/has-said.ts';
import { findMessage } from '../statements/messages/find.ts';
import { listWaiting } from '../statements/messages/list-waiting.ts';
import { putBackMessages } from '../statements/messages/put-back.ts';
import { takeMessage } from '../statements/messages/take.ts';
import { claimReady } from '../statements/sessions/claim.ts';
import { claimSession } from '../statements/sessions/claim-one.ts';
import { countWaiting } from '../statements/sessions/count-waiting.ts';
import { findReadySessions } from '../statements/sessions/find-ready.ts';
import { freeSession } from '../statements/sessions/free.ts';
import { renewLease } from '../statements/sessions/renew.ts';
import { beginTurn } from '../statements/turns/begin.ts';
import { findHeld, type Held } from '../statements/turns/held.ts';
import { removeTurn } from '../statements/turns/remove.ts';

interface Holder {
  readonly node: string;
  readonly leaseMs: number;
}

/** Claims the sessions that wait longest, and begins a turn in each with its oldest message. */
export function claim(
  context: Context,
  {
    node,
    leaseMs,
    limit,
    except = [],
  }: Holder & { readonly limit: number; readonly except?: readonly string[] },
): Claim[] {
  const { connection } = context;
  const until = context.now() + leaseMs;
  return findReadySessions(connection, { limit, except }).map(({ seq, message }) => {
    const begun = begin(context, seq, message);
    takeMessage(connection, message, begun.seq);
    return claimOf(claimReady(connection, { seq, node, until }), begun, findMessage(connection, message));
  });
}

/** Claims a session for a turn that nobody asked for; undefined when it cannot be had. */
export function claimUnasked(context: Context, sessionId: string, holder: Holder): Claim | undefined {
  const until = context.now() + holder.leaseMs;
  const session = claimSession(context.connection, { id: sessionId, node: holder.node, until });
  return session === undefined ? undefined : claimOf(session, begin(context, session.seq, null), undefined);
}

interface Begun {
  readonly seq: number;
  readonly id: string;
  readonly at: number;
}

function begin({ connection, now }: Context, session: number, message: number | null): Begun {
  const at = now();
  const id = newId(at);
  return { seq: beginTurn(connection, { id, session, message, now: at }), id, at };
}

/** What was written a moment ago is known, and not read again. */
function claimOf(session: SessionRow, { id, at }: Begun, message: MessageRow | undefined): Claim {
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

/** What a claim still holds; throws when it was lost. */
export function held(connection: Connection, claimed: Claim): Held {
  const found = findHeld(connection, { turnId: claimed.turn.id, fence: claimed.fence });
  if (found === undefined) throw new LostClaimError(claimed.session.id);
  return found;
}

/** Extends the leases of claims; returns the sessions of those that were lost. */
export function renew({ connection, now }: Context, claims: readonly Claim[], leaseMs: number): string[] {
  const until = now() + leaseMs;
  return claims.flatMap(({ session, turn, fence }) => {
    const found = findHeld(connection, { turnId: turn.id, fence });
    if (found === undefined) return [session.id];
    renewLease(connection, found.session, until);
    return [];
  });
}

/** Takes the messages that wait into the running turn. */
export function takeWaiting({ connection }: Context, claimed: Claim): Message[] {
  const { session, turn } = held(connection, claimed);
  const waiting = listWaiting(connection, session);
  for (const message of waiting) takeMessage(connection, message.seq, turn);
  if (waiting.length > 0) countWaiting(connection, session);
  return waiting.map((message) => toMessage({ ...message, turn_id: claimed.turn.id }));
}

/** Undoes a claim; what has been said cannot be unsaid, so a turn that has begun is not given back. */
export function release({ connection }: Context, claimed: Claim): void {
  const { session, turn, after_number: after } = held(connection, claimed);
  if (hasSaid(connection, { session, turn, after })) {
    throw new StoreError('begun', `The turn ${claimed.turn.id} has said something and cannot be given back.`);
  }
  putBackMessages(connection, turn);
  removeTurn(connection, turn);
  freeSession(connection, { session, changed: null, last: null });
  countWaiting(connection, session);
}
