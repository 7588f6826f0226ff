import { StoreError } from '../../../contract/errors.ts';
import type { Message } from '../../../contract/records.ts';
import type { Abandoned, Changes, Claim, Recorded } from '../../../contract/turns.ts';
import type { Context } from '../context.ts';
import { appendTurnEvents, hasTurnEvents } from '../events/event-log.ts';
import { noteDropped } from '../messages/inbox.ts';
import { addDelivery } from '../messages/outbox.ts';
import { countWaiting } from '../messages/session-queue.ts';
import {
  abandonMessages,
  listWaiting,
  markGiven,
  returnMessage,
  takeMessage,
  toMessage,
} from '../messages/turn-messages.ts';
import { rememberAgentSession, setLastEvent } from '../sessions/session-rows.ts';
import type { HeldTurn } from './claims.ts';
import { claimOwn, requireHeld } from './claims.ts';
import { finishTurn, undoClaim } from './turn-ending.ts';

/** `Turns.record`, inside the transaction of the caller. */
export function recordChanges(context: Context, claim: Claim, changes: Changes): Recorded {
  const held = requireHeld(context.connection, claim);
  if (changes.release === true) return releaseClaim(context, claim, held);
  const { agentSession, next, abandoned } = changes;
  const speaker = abandoned === undefined ? held : abandonTurn(context, claim, held, abandoned);
  const taken = changeMessages(context, claim, speaker, changes);
  if (agentSession !== undefined) rememberAgentSession(context.connection, claim.session.id, agentSession);
  const at = appendChanges(context, speaker, changes);
  return {
    first: speaker.last_event + 1,
    at,
    taken,
    next: next === undefined ? undefined : claimOwn(context, claim.session.id, next),
  };
}

function releaseClaim(context: Context, claim: Claim, speaker: HeldTurn): Recorded {
  const { session, turn, after_number: after, last_event } = speaker;
  if (hasTurnEvents(context.connection, { session, turn, after }))
    throw new StoreError('begun', `The turn ${claim.turn.id} has said something and cannot be given back.`);
  undoClaim(context, session, turn);
  return { first: last_event + 1, at: context.now(), taken: [], next: undefined };
}

/** Drops the messages of the turn. Returns the turn with the number of the `dropped` event as its last. */
function abandonTurn(context: Context, claim: Claim, { turn }: HeldTurn, { takenIn }: Abandoned): HeldTurn {
  const untaken = abandonMessages(context.connection, turn, takenIn);
  noteDropped(context, claim.session.id, untaken);
  return requireHeld(context.connection, claim);
}

/** Updates the states of messages. Returns those that `takeWaiting` took. */
function changeMessages(
  { connection }: Context,
  claim: Claim,
  { session, turn }: HeldTurn,
  { given = [], takeWaiting = false, returned = [] }: Changes,
): Message[] {
  for (const id of given) markGiven(connection, id, turn);
  const waiting = takeWaiting ? listWaiting(connection, session) : [];
  for (const { id, seq } of waiting) {
    takeMessage(connection, seq, turn);
    markGiven(connection, id, turn);
  }
  const isBack = returned.filter((id) => returnMessage(connection, id) !== undefined);
  if (waiting.length > 0 || isBack.length > 0) countWaiting(connection, session);
  return waiting.map((message) => toMessage({ ...message, turn_id: claim.turn.id }));
}

function appendChanges(context: Context, speaker: HeldTurn, changes: Changes): number {
  const { events = [], deliveries = [], end, keepsLease = false } = changes;
  if (end !== undefined)
    return finishTurn(context, speaker, { events, end, deliveries, keepsLease, state: end.outcome }).at;
  const { last, at } = appendTurnEvents(context, speaker, events);
  if (last > speaker.last_event) setLastEvent(context.connection, speaker.session, last);
  for (const delivery of deliveries)
    addDelivery(context, { session: speaker.session, turn: speaker.turn }, delivery);
  return at;
}
