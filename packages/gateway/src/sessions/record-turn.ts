import { type End, type Event, refusedEvents } from '@plugboard/host';
import { reasonOf } from '@plugboard/protocol';
import type { Changes, Claim, Said, StoredEvent } from '@plugboard/store';
import { isAnswer } from '../delivery/plan.ts';
import type { TurnContext } from './context.ts';
import { retryWrite } from './retry-writes.ts';
import { endsInSilence, type Running } from './running.ts';

/** Commits events of a turn with their deliveries, and then publishes them. */
export async function commitEvents(
  context: TurnContext,
  running: Running,
  batch: readonly Event[],
): Promise<void> {
  const { store, log, plan, previews } = context;
  const { claim } = running;
  const events = await prepare(context, running, batch);
  if (events.length === 0) return;
  const deliveries = previews.planned(claim, plan(claim.session, withoutFlood(running, events)));
  const changes: Changes = { events, deliveries, ...agentSessionIn(events) };
  const { first, at } = await retryWrite(() => store.turns.record(claim, changes), log);
  publish(context, running, events, first, at);
  if (deliveries.length > 0) context.wakeDelivery(claim.session.channel);
}

/** Messages about the progress of one turn: more would bury the answer, and use up the rate limit of the platform. */
const MOST_PROGRESS = 30;

/** The events without the `progress` beyond `MOST_PROGRESS`. */
function withoutFlood(running: Running, events: readonly Said[]): readonly Said[] {
  return events.filter(({ type }) => {
    if (type !== 'progress') return true;
    running.progressSaid += 1;
    return running.progressSaid <= MOST_PROGRESS;
  });
}

/**
 * Number of events at which a turn is logged, and again at each tenfold. Each event is a row in the store, and only
 * `turnMs` limits them.
 */
const LARGE_TURN = 100_000;

function warnOfLargeTurn({ log }: TurnContext, running: Running, added: number): void {
  const before = running.said;
  running.said += added;
  for (let limit = LARGE_TURN; limit <= running.said; limit *= 10) {
    if (before >= limit) continue;
    const { session, turn } = running.claim;
    log.warn(`A turn has more than ${limit} events so far. limits.turn_secs or /stop ends it.`, {
      code: 'turn-large',
      session: session.id,
      turn: turn.id,
      agent: session.agent,
    });
  }
}

/** Marks the message as given, in a commit before the agent gets it. */
export async function commitGiven({ store, log }: TurnContext, { claim }: Running): Promise<void> {
  const { message } = claim;
  if (message !== undefined) await retryWrite(() => store.turns.record(claim, { given: [message.id] }), log);
}

/** Returns a message to the inbox whose turn has ended without an answer to it. */
export async function returnMessage({ store, log }: TurnContext, messageId: string): Promise<void> {
  try {
    await retryWrite(() => store.inbox.returnMessages([messageId]), log);
  } catch (error) {
    log.error(`A message will not be answered: ${reasonOf(error)}`, {
      code: 'message-not-returned',
      message: messageId,
    });
  }
}

/**
 * Ends a turn in one transaction: `returned` messages go back to the inbox, and with `claimsNext` the next turn is
 * claimed, which the agent has begun by itself. Gives that claim.
 */
export async function commitEnd(
  context: TurnContext,
  running: Running,
  rest: readonly Event[],
  end: End,
  claimsNext = false,
): Promise<Claim | undefined> {
  const { store, log, plan, previews, doubts, agents, leases } = context;
  const { claim, holder, stopped, sent } = running;
  const events = await prepare(context, running, rest);
  const silence = endsInSilence(running, end) ? [{ type: 'silence' } as const] : [];
  const told = [...withoutFlood(running, events), end, ...silence];
  const answers = previews.planned(claim, plan(claim.session, told));
  const deliveries = [...answers, ...doubts.remark(claim.session)];
  const returned = [...running.returned, ...(stopped === 'shutdown' ? sent.keys() : [])];
  const changes: Changes = {
    ...{ events, deliveries, end, returned },
    ...agentSessionIn(events),
    ...(claimsNext ? { next: holder } : {}),
    keepsLease: agents.hasProcess(claim.session.id),
  };
  const { first, at, next } = await retryWrite(() => store.turns.record(claim, changes), log);
  if (changes.keepsLease === true && next === undefined) leases.keep(claim);
  publish(context, running, [...events, end], first, at);
  if (deliveries.length > 0) context.wakeDelivery(claim.session.channel);
  await chargeTurn(context, claim, end);
  return next;
}

async function chargeTurn({ chargeCost, log }: TurnContext, { session, message }: Claim, { cost }: End) {
  if (cost === undefined || message === undefined) return;
  try {
    await chargeCost(session.channel, message.sender, cost);
  } catch (error) {
    log.error(`The cost of a turn was not counted: ${reasonOf(error)}`, {
      code: 'cost-not-counted',
      session: session.id,
    });
  }
}

/** The last session id that the agent has sent in a `session` event. */
function agentSessionIn(events: readonly Said[]): Pick<Changes, 'agentSession'> {
  const last = events.findLast((event) => event.type === 'session');
  return last?.type === 'session' ? { agentSession: last.id } : {};
}

/** Copies media files into the media directory, because the workspace of the agent may be deleted. */
async function prepare({ media }: TurnContext, running: Running, batch: readonly Event[]): Promise<Said[]> {
  const { claim, access } = running;
  const said: Said[] = [];
  for (const event of batch) {
    if (event.type === 'end') continue;
    if (event.type !== 'message' || event.media.length === 0 || access === undefined) {
      said.push(event);
      continue;
    }
    const { kept, refused } = await media.keep(claim.session.id, event.media, access());
    said.push({ ...event, media: kept }, ...(refusedEvents(refused) as Said[]));
  }
  running.answered ||= said.some(isAnswer);
  return said;
}

function publish(
  context: TurnContext,
  running: Running,
  events: readonly Event[],
  first: number,
  at: number,
): void {
  const { feed, previews } = context;
  const { claim } = running;
  warnOfLargeTurn(context, running, events.length);
  const sessionId = claim.session.id;
  if (events.some(({ type }) => type === 'session-info')) feed.changed(sessionId);
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
