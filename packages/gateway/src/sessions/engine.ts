import { randomUUID } from 'node:crypto';
import { setImmediate as nextRound } from 'node:timers/promises';
import type { Event, Run, Turn } from '@plugboard/host';
import { reasonOf } from '@plugboard/protocol';
import type { Claim, Session } from '@plugboard/store';
import type { LimitsConfig } from '../config/config.ts';
import type { TurnContext } from './context.ts';
import { type Arrivals, createArrivals } from './crowding.ts';
import { createDispatcher, type Dispatcher } from './dispatcher.ts';
import { createLine, type Line } from './line.ts';
import { type OwnTurn, readAhead } from './own.ts';
import { createRunning, type Running } from './running.ts';
import { recordTurn, runTurn } from './turn.ts';
import { putBack } from './writing.ts';

/** A turn whose holder has not been heard of for so long may be ended by another gateway. */
const LEASE_MS = 30_000;

/** Work that nobody was woken for is found within so long. */
const LOOK_MS = 2_000;

/** What runs the turns of a gateway, and what runs now. */
export interface Engine extends TurnContext {
  readonly node: string;
  limits: LimitsConfig;
  /** By session: one turn at a time. */
  readonly running: Map<string, Running>;
  readonly line: Line;
  readonly arrivals: Arrivals;
  readonly dispatcher: Dispatcher;
  readonly ended: Set<Promise<void>>;
  stopping: boolean;
  readonly leases: NodeJS.Timeout;
  readonly looks: NodeJS.Timeout;
  /** Counts since the start, for metrics. */
  readonly counts: Record<'admitted' | 'begun' | 'ended' | 'steered' | 'interrupted', number>;
}

export function createEngine(context: TurnContext, node: string, limits: LimitsConfig): Engine {
  const { store, log } = context;
  const engine: Engine = {
    ...context,
    node,
    limits,
    running: new Map(),
    arrivals: createArrivals(),
    line: createLine((id) => context.feed.changed(id)),
    dispatcher: createDispatcher({
      store,
      node,
      leaseMs: LEASE_MS,
      log,
      free: () => engine.limits.agents - engine.running.size,
      full: () => fullAgents(engine),
      begin: (claim) => begin(engine, claim),
    }),
    ended: new Set(),
    stopping: false,
    leases: setInterval(() => void renew(engine), LEASE_MS / 3),
    looks: setInterval(() => engine.dispatcher.wake(), LOOK_MS),
    counts: { admitted: 0, begun: 0, ended: 0, steered: 0, interrupted: 0 },
  };
  engine.leases.unref();
  engine.looks.unref();
  return engine;
}

/** Agents that run as many turns as they may. */
function fullAgents({ running, agents }: Engine): string[] {
  const counts = new Map<string, number>();
  for (const { claim } of running.values()) {
    counts.set(claim.session.agent, (counts.get(claim.session.agent) ?? 0) + 1);
  }
  return [...counts]
    .filter(([name, count]) => count >= (agents.get(name)?.maxRunning ?? Infinity))
    .map(([name]) => name);
}

function begin(engine: Engine, claim: Claim): void {
  const running = enter(engine, claim);
  attend(engine, running, runTurn(engine, running));
}

function enter(engine: Engine, claim: Claim): Running {
  const { session } = claim;
  const running = createRunning(claim, () => claimOwn(engine, session.id));
  engine.running.set(session.id, running);
  engine.counts.begun += 1;
  engine.line.leave(session.id);
  return running;
}

/** Sees a turn to its end, and makes room for the next. */
function attend(engine: Engine, running: Running, work: Promise<void>): void {
  const { session } = running.claim;
  const limit = engine.limits.turnMs;
  const timer = limit > 0 ? setTimeout(() => stopRunning(running, 'timeout'), limit) : undefined;
  const ended = work.finally(() => {
    clearTimeout(timer);
    engine.running.delete(session.id);
    engine.counts.ended += 1;
    engine.ended.delete(ended);
    engine.feed.changed(session.id);
    // Before anybody looks for work: what the agent has begun already comes first.
    if (running.own.length > 0) void recordOwn(engine, session.id, running.own, running.next);
    // A look for work that is not there costs a write; whatever this misses, the next look in a while finds.
    if (running.followed || engine.line.length > 0) engine.dispatcher.wake();
  });
  engine.ended.add(ended);
  running.ended = ended;
}

/** Stops a turn; the first reason stands. */
export function stopRunning(running: Running, why: NonNullable<Running['stopped']>): void {
  running.stopped ??= why;
  running.abort.abort();
}

/**
 * A turn that its agent began by itself: an answer to what was given to the running turn too late, or a turn of the session
 * after that one.
 */
export async function onUnaskedTurn(engine: Engine, sessionId: string, run: Run): Promise<void> {
  const running = engine.running.get(sessionId);
  if (running?.late.expected) running.late.add(run);
  else if (running !== undefined) running.own.push(readAhead(run));
  else await recordOwn(engine, sessionId, [readAhead(run)]);
}

/** Something that was given to a running turn, and that the agent's process took with it unread when it ended. */
export function onUnread(engine: Engine, given: Turn): void {
  const running = engine.running.get(given.session.key);
  putBack(engine, running, given);
  if (running === undefined) engine.dispatcher.wake();
}

/** The session for a turn that nobody asked for; undefined when it cannot be had. */
async function claimOwn({ store, node, log }: Engine, sessionId: string): Promise<Claim | undefined> {
  try {
    return await store.turns.claimUnasked(sessionId, { node, leaseMs: LEASE_MS });
  } catch (error) {
    log.error(`A turn that nobody asked for cannot be begun: ${reasonOf(error)}`, { session: sessionId });
    return undefined;
  }
}

/** Writes down, one after the other, the turns that an agent began by itself. */
async function recordOwn(
  engine: Engine,
  sessionId: string,
  turns: readonly OwnTurn[],
  claimed?: Promise<Claim | undefined>,
): Promise<void> {
  const [first, ...rest] = turns;
  const claim = (await claimed) ?? (await claimOwn(engine, sessionId));
  if (claim !== undefined && first !== undefined) {
    const running = enter(engine, claim);
    running.own.push(...rest);
    return attend(engine, running, recordTurn(engine, running, first));
  }
  // A message was quicker, and its turn is being begun; or the session is no more.
  await nextRound();
  const current = engine.running.get(sessionId);
  if (current !== undefined) current.own.unshift(...turns);
  else for (const turn of turns) await noteTurn(engine, sessionId, turn);
}

/** What is said in a session that has no turns any more is kept all the same. */
async function noteTurn(engine: Engine, sessionId: string, turn: OwnTurn): Promise<void> {
  for await (const batch of turn.batches()) {
    for (const event of batch) if (event.type !== 'end') await noteEvent(engine, sessionId, event);
  }
}

/** Something that an agent said outside any turn. */
export async function noteEvent(engine: Engine, sessionId: string, event: Event): Promise<void> {
  if (event.type === 'end') return;
  try {
    const { event: stored } = await engine.store.log.note(sessionId, { id: randomUUID(), event });
    engine.feed.publish(sessionId, [stored]);
    if (event.type === 'message') await sendNoted(engine, sessionId, event);
  } catch (error) {
    engine.log.error(`What an agent said was not kept: ${reasonOf(error)}`, { session: sessionId });
  }
}

/** Those who do not read the log have to be sent what stands in it. */
async function sendNoted(engine: Engine, sessionId: string, event: Event): Promise<void> {
  const session = await engine.store.sessions.get(sessionId);
  const deliveries = session === undefined ? [] : engine.plan(session, [event]);
  for (const delivery of deliveries) await engine.store.outbox.add(sessionId, delivery);
  if (session !== undefined && deliveries.length > 0) engine.wakeDelivery(session.channel);
}

async function renew(engine: Engine): Promise<void> {
  const claims = [...engine.running.values()].map(({ claim }) => claim);
  if (claims.length === 0) return;
  try {
    const lost = await engine.store.turns.renew(claims, LEASE_MS);
    for (const id of lost) engine.running.get(id)?.abort.abort();
  } catch (error) {
    engine.log.error(`Leases cannot be renewed: ${reasonOf(error)}`);
  }
}

/** Whether a session waits, runs or rests. */
export function stateOf(engine: Engine, session: Session): 'idle' | 'queued' | 'running' {
  if (engine.running.has(session.id) || session.running) return 'running';
  return session.waiting > 0 ? 'queued' : 'idle';
}
