import type { Event, StreamEffect } from '@plugboard/host';
import { reasonOf } from '@plugboard/protocol';
import type { Claim } from '@plugboard/store';
import type { TurnAgent } from '../agents/turn-agent.ts';
import { type Engine, noteEvent } from './engine.ts';
import { mergeBatches } from './merge-batches.ts';
import { returnMessage } from './record-turn.ts';
import { isMessageNext, isOver, type Running } from './running.ts';
import { noteAccepted, recordEnd, recordPending, sendMessage } from './turn.ts';
import { enterTurn, leaveTurn } from './turn-life.ts';

type EventsOfTurn = Extract<StreamEffect, { type: 'events' }> & { readonly turnId: string };

/** An agent whose effects are recorded. */
interface Followed {
  readonly engine: Engine;
  readonly agent: TurnAgent;
  readonly sessionOf: () => string;
  /** Turns of sessions by the id of the agent's turn. */
  readonly turns: Map<string, Running>;
}

/**
 * Records what an agent does, in its order and no faster than it can be committed, until its stream ends. A turn that
 * the agent begins while a turn of the session runs belongs to that turn until every message of it is answered; any
 * other becomes a turn of the session without a message.
 */
export async function followAgent(
  engine: Engine,
  agent: TurnAgent,
  effects: AsyncIterableIterator<readonly StreamEffect[]>,
  sessionOf: () => string,
): Promise<void> {
  const followed: Followed = { engine, agent, sessionOf, turns: new Map() };
  for await (const batch of mergeBatches(effects, hasEnd)) {
    try {
      await takeEffects(followed, batch);
    } catch (error) {
      engine.log.error(`Output of an agent was not recorded: ${reasonOf(error)}`, {
        code: 'agent-output-lost',
        session: sessionOf(),
        agent: agent.name,
      });
    }
  }
}

function hasEnd(effects: readonly StreamEffect[]): boolean {
  for (const effect of effects) if (isTurnEvents(effect) && effect.events.at(-1)?.type === 'end') return true;
  return false;
}

function isTurnEvents(effect: StreamEffect): effect is EventsOfTurn {
  return effect.type === 'events' && effect.turnId !== undefined;
}

async function takeEffects(followed: Followed, effects: readonly StreamEffect[]): Promise<void> {
  const touched = new Set<Running>();
  // First, so that the commit that ends a turn also returns the messages that the same end has left unanswered.
  for (const effect of effects)
    if (effect.type === 'input' && effect.state === 'returned')
      touchTurn(touched, await noteReturned(followed, effect.inputId));
  for (const [index, effect] of effects.entries()) {
    if (isTurnEvents(effect)) {
      const isFollowed = effects.slice(index + 1).some(isTurnEvents);
      touchTurn(touched, await takeEvents(followed, effect, isFollowed));
    } else if (effect.type === 'events') {
      for (const running of touched) await recordPending(followed.engine, running);
      for (const event of effect.events) await noteEvent(followed.engine, followed.sessionOf(), event);
    } else if (effect.state === 'taken') {
      touchTurn(touched, noteTaken(followed, effect.inputId, effect.turnId ?? effect.inputId));
    }
  }
  for (const running of touched) {
    await endIfOver(followed, running, false);
    await recordPending(followed.engine, running);
  }
}

function touchTurn(touched: Set<Running>, running: Running | undefined): void {
  if (running !== undefined) touched.add(running);
}

/** A turn of the agent has taken a message: as its first, or as steering. */
function noteTaken(followed: Followed, inputId: string, turnId: string): Running | undefined {
  const running = findSender(followed, inputId);
  if (running === undefined) return undefined;
  running.sent.delete(inputId);
  running.takenIn.add(inputId);
  running.begun = true;
  if (running.last?.id !== turnId) enterAgentTurn(followed, running, { id: turnId, isStray: false });
  return running;
}

/** The agent will not answer a message. The first message of a turn is sent again, to another process of the agent. */
async function noteReturned(followed: Followed, inputId: string): Promise<Running | undefined> {
  const { engine, agent } = followed;
  const running = findSender(followed, inputId);
  if (running === undefined) {
    await returnMessage(engine, inputId);
    engine.dispatcher.wake();
    return undefined;
  }
  running.sent.delete(inputId);
  const { message } = running.claim;
  const ready = message && (await engine.media.fetchFor(message));
  if (running.begun || inputId !== message?.id) {
    if (running.stopped === 'cancel') return running;
    running.returned.push(inputId);
    running.followed = true;
  } else if (running.stopped === undefined && !running.lost) {
    sendMessage(engine, running, agent, ready ?? message);
  } else {
    running.begun = true;
    running.last = { id: inputId, end: { type: 'end', outcome: 'cancelled', text: '' } };
  }
  return running;
}

/** The turn whose message was sent to this agent. */
function findSender({ engine, agent, sessionOf }: Followed, inputId: string): Running | undefined {
  const running = engine.running.get(sessionOf());
  return running?.agent === agent && running.sent.has(inputId) ? running : undefined;
}

/** Takes events of a turn of the agent. Gives the turn of the session that they belong to. */
async function takeEvents(
  followed: Followed,
  effect: EventsOfTurn,
  isFollowed: boolean,
): Promise<Running | undefined> {
  const { engine, turns } = followed;
  const { turnId, events } = effect;
  const running = turns.get(turnId) ?? (await findTurn(followed));
  if (running === undefined) {
    // The session is closed and can have no turns.
    for (const event of events) await noteEvent(engine, followed.sessionOf(), event);
    return undefined;
  }
  if (running.current?.id !== turnId)
    enterAgentTurn(followed, running, { id: turnId, isStray: isUnannounced(running, turnId, events[0]) });
  noteAccepted(engine, running, events);
  for (const event of events) {
    if (event.type !== 'end') {
      running.pending.push(event);
      continue;
    }
    turns.delete(turnId);
    running.current = undefined;
    if (running.begun) running.last = { id: turnId, end: event };
    await endIfOver(followed, running, isFollowed);
  }
  return running;
}

function enterAgentTurn(followed: Followed, running: Running, current: Running['current'] & {}): void {
  if (running.current?.id === current.id) return;
  running.current = current;
  followed.turns.set(current.id, running);
  const { stopped, followed: isWaitedFor } = running;
  // A turn without an end would keep the message waiting.
  if (current.isStray && isWaitedFor) followed.agent.interrupt(current.id, 'cancel');
  else if (stopped !== undefined)
    followed.agent.interrupt(current.id, stopped === 'cancel' ? 'cancel' : 'timeout');
}

/** Whether the agent said something outside any turn that it announced. */
function isUnannounced({ claim }: Running, turnId: string, first: Event | undefined): boolean {
  if (first?.type !== 'accepted' || turnId === claim.message?.id) return false;
  return first.inputs === undefined && first.at === undefined && first.origin === undefined;
}

/**
 * The turn of the session that a further turn of the agent belongs to: the running one, or a new one. A turn whose agent
 * has failed ends first. Undefined when the session is closed.
 */
async function findTurn(followed: Followed): Promise<Running | undefined> {
  const { engine, agent, sessionOf } = followed;
  const sessionId = sessionOf();
  for (let attempts = 0; attempts < 3; ) {
    const running = engine.running.get(sessionId);
    if (running === undefined) {
      const own = await beginOwnTurn(followed, sessionId);
      if (own !== undefined) return own;
      attempts += 1;
      // The claim failed because a message was claimed first, whose turn begins now, or because the session is closed.
      await engine.dispatcher.look();
    } else if (running.agent !== agent || running.ending) {
      await running.ended.promise;
    } else if (running.last === undefined || running.last.end.outcome === 'success') {
      return running;
    } else {
      const next = await endTurn(followed, running, true);
      if (next !== undefined) return next;
    }
  }
  return undefined;
}

async function beginOwnTurn(followed: Followed, sessionId: string): Promise<Running | undefined> {
  const { engine } = followed;
  const { store, node, leaseMs, log } = engine;
  try {
    const claim = await store.turns.claimOwn(sessionId, { node, leaseMs });
    return claim === undefined ? undefined : enterOwnTurn(followed, claim);
  } catch (error) {
    log.error(`A turn that an agent began by itself cannot be recorded: ${reasonOf(error)}`, {
      code: 'own-turn-not-begun',
      session: sessionId,
    });
    return undefined;
  }
}

function enterOwnTurn({ engine, agent }: Followed, claim: Claim): Running {
  return enterTurn(engine, claim, { agent, release: engine.agents.hold(agent, claim.session.id) });
}

async function endIfOver(followed: Followed, running: Running, isFollowed: boolean): Promise<void> {
  if (!isOver(running) || running.ending) return;
  // A message that is being moved into the turn keeps it open.
  await running.steering;
  if (isOver(running) && !running.ending) await endTurn(followed, running, isFollowed);
}

/** Ends a turn. Gives the next one when the agent has begun it already and no message is to be answered before. */
async function endTurn(
  followed: Followed,
  running: Running,
  isFollowed: boolean,
): Promise<Running | undefined> {
  const { engine } = followed;
  if (running.last === undefined) return undefined;
  running.ending = true;
  const claimsNext = isFollowed && !isMessageNext(running);
  const next = await recordEnd(engine, running, running.last.end, claimsNext);
  leaveTurn(engine, running);
  return next === undefined ? undefined : enterOwnTurn(followed, next);
}
