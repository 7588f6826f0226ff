import type { End } from '@plugboard/host';
import type { Claim, Message } from '@plugboard/store';
import type { Taken, TurnAgent } from '../agents/turn-agent.ts';
import { isBriefSession } from './brief-session.ts';
import type { Engine } from './engine.ts';
import { createRunning, type Running } from './running.ts';
import { accessFor, interruptAgent, recordEnd, recordGiven, sendMessage, unknownAgent } from './turn.ts';

/** Begins a claimed turn with a message. Does not throw, and does not wait for the turn. */
export function beginTurn(engine: Engine, claim: Claim): void {
  const { session, message } = claim;
  const taken =
    message === undefined
      ? undefined
      : engine.agents.take(session.agent, session.id, isBriefSession(session));
  const running = enterTurn(engine, claim, taken);
  if (taken === undefined) void endUnsent(engine, running, unknownAgent(session.agent));
  else if (message !== undefined) void sendOrEnd(engine, running, taken.agent, message);
}

/** Order: start the process, commit `given`, send. A crash before the commit loses no message. */
async function sendOrEnd(
  engine: Engine,
  running: Running,
  agent: TurnAgent,
  message: Message,
): Promise<void> {
  const { id, agent: name, agentSession } = running.claim.session;
  if (running.stopped === undefined) engine.agents.prepare(name, id, agentSession);
  const ready = await engine.media.fetchFor(message);
  await recordGiven(engine, running);
  if (running.stopped === undefined && !running.lost) sendMessage(engine, running, agent, ready);
  else await endUnsent(engine, running, { type: 'end', outcome: 'cancelled', text: '' });
}

/** Ends a turn whose message was not sent. */
async function endUnsent(engine: Engine, running: Running, end: End): Promise<void> {
  await running.steering;
  running.ending = true;
  await recordEnd(engine, running, end);
  leaveTurn(engine, running);
}

/** Adds a turn to those that this gateway runs. */
export function enterTurn(engine: Engine, claim: Claim, taken: Taken | undefined): Running {
  const { session, turn, message } = claim;
  const { agent, release } = taken ?? { agent: undefined, release: () => {} };
  const holder = { node: engine.node, leaseMs: engine.leaseMs };
  const access = agent === undefined ? undefined : accessFor(claim, agent);
  const running = createRunning(claim, holder, agent, access);
  engine.running.set(session.id, running);
  engine.leases.forget(session.id);
  engine.counts.begun += 1;
  engine.line.leave(session.id);
  const limit = engine.limits.turnMs;
  const timer = limit > 0 ? setTimeout(() => stopRunning(engine, running, 'timeout'), limit) : undefined;
  if (agent !== undefined) engine.recordings.begin({ id: turn.id, inputId: message?.id }, agent);
  engine.previews.begin(claim);
  engine.feed.changed(session.id);
  void running.ended.promise.then(() => {
    clearTimeout(timer);
    engine.previews.end(claim);
    engine.recordings.end(turn.id);
    release();
  });
  return running;
}

/** Removes a turn that has ended. */
export function leaveTurn(engine: Engine, running: Running): void {
  const { id } = running.claim.session;
  engine.running.delete(id);
  // The process may have ended during the commit that kept the lease.
  if (!engine.agents.hasProcess(id)) engine.leases.release(id);
  engine.counts.ended += 1;
  running.ended.resolve();
  engine.feed.changed(id);
  // Without this condition each turn costs one useless `claim`, which is a write. Work that is missed here is found
  // after `LOOK_MS`.
  if (running.followed || engine.line.length > 0) engine.dispatcher.wake();
}

/**
 * Stops a turn. The first value of `stopped` is kept. Only `cancel` gives up messages that the agent has not taken: after
 * the others it still answers them, or they wait again.
 */
export function stopRunning(engine: Engine, running: Running, why: NonNullable<Running['stopped']>): void {
  running.stopped ??= why;
  interruptAgent(running, running.stopped === 'cancel' ? 'cancel' : 'timeout');
  const { current, last } = running;
  // Between two turns of the agent there is nothing to interrupt, and a shutdown does not wait for the next.
  if (why === 'shutdown' && current === undefined && last !== undefined && running.begun && !running.ending)
    void endUnsent(engine, running, last.end);
}
