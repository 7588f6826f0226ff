import { StoreError } from '../../../contract/errors.ts';
import type { Message } from '../../../contract/records.ts';
import type { Abandoned, Changes, Claim, Recorded } from '../../../contract/turns.ts';
import type { Transaction } from '../connection.ts';
import { appendTurnEvents, hasTurnEvents } from '../events/event-log.ts';
import { addDeliveries } from '../messages/delivery-rows.ts';
import { noteDropped } from '../messages/inbox.ts';
import { countWaiting } from '../messages/session-queue.ts';
import { abandonMessages, markGiven, returnMessages, takeAllWaiting } from '../messages/turn-messages.ts';
import { rememberAgentSession, setLastEvent } from '../sessions/session-rows.ts';
import { claimOwn, type HeldTurn, requireHeld } from './claims.ts';
import { finishTurn, undoClaim } from './turn-ending.ts';

/** `Turns.record`, inside the transaction of the caller. */
export async function recordChanges(
  transaction: Transaction,
  claim: Claim,
  changes: Changes,
): Promise<Recorded> {
  const held = await requireHeld(transaction, claim);
  if (changes.release === true) return releaseClaim(transaction, claim, held);
  const { agentSession, next, abandoned } = changes;
  const speaker = abandoned === undefined ? held : await abandonTurn(transaction, claim, held, abandoned);
  const taken = await changeMessages(transaction, speaker, changes);
  if (agentSession !== undefined) await rememberAgentSession(transaction, claim.session.id, agentSession);
  await appendChanges(transaction, speaker, changes);
  return {
    first: speaker.last_event + 1,
    at: transaction.now,
    taken,
    next: next === undefined ? undefined : await claimOwn(transaction, claim.session.id, next),
  };
}

async function releaseClaim(transaction: Transaction, claim: Claim, speaker: HeldTurn): Promise<Recorded> {
  const { session, turn, after_number: after, last_event } = speaker;
  if (await hasTurnEvents(transaction, { session, turn, after }))
    throw new StoreError('begun', `The turn ${claim.turn.id} has said something and cannot be given back.`);
  await undoClaim(transaction, session, turn);
  return { first: last_event + 1, at: transaction.now, taken: [], next: undefined };
}

/** Drops the messages of the turn. Resolves to the turn with the number of the `dropped` event as its last. */
async function abandonTurn(
  transaction: Transaction,
  claim: Claim,
  { session, turn }: HeldTurn,
  { takenIn }: Abandoned,
): Promise<HeldTurn> {
  const untaken = await abandonMessages(transaction, turn, takenIn);
  await noteDropped(transaction, { id: claim.session.id, seq: session }, untaken);
  return requireHeld(transaction, claim);
}

/** Updates the states of messages. Resolves to the messages that `takeWaiting` took. */
async function changeMessages(
  transaction: Transaction,
  { session, turn }: HeldTurn,
  { given = [], takeWaiting = false, returned = [] }: Changes,
): Promise<Message[]> {
  await markGiven(transaction, given, turn);
  const taken = takeWaiting ? await takeAllWaiting(transaction, { session, turn }) : [];
  const back = await returnMessages(transaction, session, returned);
  if (taken.length > 0 || back > 0) await countWaiting(transaction, session);
  return taken;
}

async function appendChanges(transaction: Transaction, speaker: HeldTurn, changes: Changes): Promise<void> {
  const { events = [], deliveries = [], end, keepsLease = false } = changes;
  if (end !== undefined) {
    await finishTurn(transaction, speaker, { events, end, deliveries, keepsLease, state: end.outcome });
    return;
  }
  const last = await appendTurnEvents(transaction, speaker, events);
  if (last > speaker.last_event) await setLastEvent(transaction, speaker.session, last);
  await addDeliveries(transaction, speaker, deliveries);
}
