import { type End, type Event, refusedEvents, type Turn } from '@plugboard/host';
import { reasonOf } from '@plugboard/protocol';
import type { Said, StoredEvent } from '@plugboard/store';
import type { TurnContext } from './context.ts';
import { patiently } from './patient.ts';
import type { Running } from './running.ts';

/** Writes down what was said in a turn, and what must be delivered of it; then everybody sees it. */
export async function append(context: TurnContext, running: Running, batch: readonly Event[]): Promise<void> {
  const { store, log, plan, previews } = context;
  const { claim } = running;
  const events = await prepare(context, running, batch);
  if (events.length === 0) return;
  const deliveries = previews.planned(claim, plan(claim.session, events));
  const { first, at } = await patiently(() => store.turns.append(claim, events, deliveries), log);
  publish(context, running, events, first, at);
  if (deliveries.length > 0) context.wakeDelivery(claim.session.channel);
}

/**
 * Puts a message back that was given to a turn and is not answered in it, before the turn ends, so that it cannot be lost.
 * Not when somebody has stopped the turn: whoever wants no answer to that wants none to this.
 */
export function putBack({ store, log }: TurnContext, running: Running | undefined, { id }: Turn): void {
  if (running?.stopped === 'cancel') return;
  if (running !== undefined) running.followed = true;
  const fields = running === undefined ? {} : { session: running.claim.session.id };
  patiently(() => store.inbox.putBack([id]), log).catch((error) =>
    log.error(`A message will not be answered: ${reasonOf(error)}`, fields),
  );
}

/** Ends a turn. */
export async function complete(
  context: TurnContext,
  running: Running,
  rest: readonly Event[],
  end: End,
): Promise<void> {
  const { store, log, plan, previews, doubts } = context;
  const { claim } = running;
  const events = await prepare(context, running, rest);
  const answers = previews.planned(claim, plan(claim.session, [...events, end]));
  const deliveries = [...answers, ...doubts.remark(claim.session)];
  const completed = patiently(() => store.turns.complete(claim, { events, end, deliveries }), log);
  // In the same breath, so that it is one commit: what is still to be answered is never without a turn, should we die now.
  if (running.own.length > 0) running.next = running.claimNext();
  const { first, at } = await completed;
  publish(context, running, [...events, end], first, at);
  if (deliveries.length > 0) context.wakeDelivery(claim.session.channel);
}

/** Files become ours, so that they outlive the agent's workspace; the agent's own session id goes where it is asked for. */
async function prepare(
  { store, media, log }: TurnContext,
  { claim, access }: Running,
  batch: readonly Event[],
): Promise<Said[]> {
  const said: Said[] = [];
  for (const event of batch) {
    if (event.type === 'end') continue;
    if (event.type === 'session') {
      patiently(() => store.sessions.rememberAgentSession(claim.session.id, event.id), log).catch((error) =>
        log.error(`A session id was not kept: ${reasonOf(error)}`),
      );
    }
    if (event.type !== 'message' || event.media.length === 0 || access === undefined) {
      said.push(event);
      continue;
    }
    const { kept, refused } = await media.keep(claim.session.id, event.media, access());
    said.push({ ...event, media: kept }, ...(refusedEvents(refused) as Said[]));
  }
  return said;
}

function publish(
  { feed, previews }: TurnContext,
  { claim }: Running,
  events: readonly Event[],
  first: number,
  at: number,
): void {
  const sessionId = claim.session.id;
  const turnId = claim.turn.id;
  const stored = events.map(
    (event, index): StoredEvent => ({
      sessionId,
      number: first + index,
      turnId,
      at,
      ...(event.type === 'end' ? { startedAt: claim.turn.startedAt } : {}),
      event,
    }),
  );
  feed.publish(sessionId, stored);
  previews.saw(claim, events);
}
