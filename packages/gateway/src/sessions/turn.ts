import { createTurn, currentFileTime, type End, type Event, type MediaAccess } from '@plugboard/host';
import { reasonOf } from '@plugboard/protocol';
import { type Claim, LostClaimError, type Message } from '@plugboard/store';
import type { TurnAgent } from '../agents/turn-agent.ts';
import type { TurnContext } from './context.ts';
import { commitEnd, commitEvents, commitGiven } from './record-turn.ts';
import { type Running, turnFor } from './running.ts';

/** Marks the first message of a turn as given, in a commit before it is sent. */
export function recordGiven(context: TurnContext, running: Running): Promise<void> {
  return keep(context, running, () => commitGiven(context, running));
}

/** Sends a message of the turn, which begins the agent's turn or steers it. */
export function sendMessage(
  { asks }: TurnContext,
  running: Running,
  agent: TurnAgent,
  message: Message,
): void {
  running.sent.set(message.id, message.principal);
  agent.send(turnFor(running.claim, message), asks.by(running.claim.session, agent.config));
}

/**
 * Media access of a turn. A turn that the agent began by itself has no message, so that no file in it was named by a
 * user.
 */
export function accessFor(claim: Claim, agent: TurnAgent): () => MediaAccess {
  const { message, session, turn } = claim;
  const asked =
    message === undefined
      ? createTurn({ id: turn.id, session: { key: session.id } })
      : turnFor(claim, message);
  const since = currentFileTime();
  return () => agent.mediaAccess(asked, since);
}

/** Commits the pending events of a turn. */
export async function recordPending(context: TurnContext, running: Running): Promise<void> {
  const events = running.pending;
  if (events.length === 0) return;
  running.pending = [];
  await keep(context, running, () => commitEvents(context, running, events));
}

/** Ends a turn with its pending events. Gives the claim of the next turn when `claimsNext`. */
export async function recordEnd(
  context: TurnContext,
  running: Running,
  end: End,
  claimsNext = false,
): Promise<Claim | undefined> {
  const events = running.pending;
  running.pending = [];
  let next: Claim | undefined;
  await keep(context, running, async () => {
    next = await commitEnd(context, running, events, endOf(running, end), claimsNext);
  });
  return next;
}

/**
 * Runs `work`. On an error the turn is `lost`: it was recovered by another gateway, or it cannot be written down and is
 * ended with an error.
 */
async function keep(context: TurnContext, running: Running, work: () => Promise<void>): Promise<void> {
  if (running.lost) return;
  try {
    await work();
  } catch (error) {
    running.lost = true;
    const { session, turn } = running.claim;
    const fields = { session: session.id, turn: turn.id };
    if (error instanceof LostClaimError) {
      context.log.warn('Another gateway has recovered this turn.', { ...fields, code: 'lease-lost' });
    } else {
      context.log.error(`A turn could not be recorded: ${reasonOf(error)}`, {
        ...fields,
        code: 'turn-not-recorded',
      });
      await endWithError(context, running, error);
    }
    interruptAgent(running, 'cancel');
  }
}

/** Stops the turn of the agent that answers a turn of the session. */
export function interruptAgent({ agent, current, claim, begun }: Running, cause: 'cancel' | 'timeout'): void {
  const id = current?.id ?? (begun ? undefined : claim.message?.id);
  if (id !== undefined) agent?.interrupt(id, cause);
}

/** Ends the turn with an error. A session whose turn stays open would have no further turn. */
async function endWithError(context: TurnContext, running: Running, reason: unknown): Promise<void> {
  const message = `The gateway could not write this turn down: ${reasonOf(reason)}`;
  const end: End = { type: 'end', outcome: 'error', text: '', error: { message, code: 'not-kept' } };
  try {
    await commitEnd(context, running, [], end);
  } catch (error) {
    const { session, turn } = running.claim;
    context.log.error(`A turn stays open until the gateway is started anew: ${reasonOf(error)}`, {
      code: 'turn-left-open',
      session: session.id,
      turn: turn.id,
    });
  }
}

/** Publishes a change once the agent has sent `accepted`, because from then on it can be steered. */
export function noteAccepted({ feed }: TurnContext, running: Running, events: readonly Event[]): void {
  if (running.accepted || !events.some(({ type }) => type === 'accepted')) return;
  running.accepted = true;
  feed.changed(running.claim.session.id);
}

/** Replaces the outcome of a turn that the gateway stopped, because the agent does not know the reason. */
function endOf({ stopped }: Running, end: End): End {
  if (end.outcome === 'success') return end;
  if (stopped === 'timeout') {
    const message = 'The turn took longer than this gateway allows, and was stopped.';
    return { ...end, outcome: 'timeout', error: { message, code: 'timeout' } };
  }
  if (stopped === 'shutdown') {
    const message = 'The gateway was stopped while the turn was running.';
    return { ...end, outcome: 'cancelled', error: { message, code: 'shutdown' } };
  }
  return end;
}

/** The end of a turn whose agent is not configured. */
export function unknownAgent(name: string): End {
  const message = `There is no agent "${name}" any more. Choose another one with /agent NAME.`;
  return { type: 'end', outcome: 'error', text: '', error: { message, code: 'unknown-agent' } };
}
