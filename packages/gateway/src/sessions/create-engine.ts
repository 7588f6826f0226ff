import { randomUUID } from 'node:crypto';
import { currentFileTime } from '@plugboard/host';
import { reasonOf } from '@plugboard/protocol';
import type { Claim } from '@plugboard/store';
import type { LimitsConfig } from '../config/config.ts';
import { createArrivals } from './arrivals.ts';
import type { TurnContext } from './context.ts';
import { createDispatcher } from './dispatcher.ts';
import type { Engine } from './engine.ts';
import { interruptAgent } from './turn.ts';
import { beginTurn } from './turn-life.ts';
import { createWaitingLine } from './waiting-line.ts';

const LEASE_MS = 30_000;

/** `LEASE_MS` on a store with several gateways: they take over the turns of one that hangs after this time. */
const SHARED_LEASE_MS = 10_000;

/** Period of the `wake` that finds work for which no other `wake` was called. */
const LOOK_MS = 2_000;

/** Starts to run turns. `close` of its dispatcher and its timers ends that. */
export function createEngine(context: TurnContext, node: string, limits: LimitsConfig): Engine {
  const { store, log } = context;
  const leaseMs = store.nodes === undefined ? LEASE_MS : SHARED_LEASE_MS;
  const engine: Engine = {
    ...context,
    node,
    leaseMs,
    limits,
    running: new Map(),
    followed: new Set(),
    absent: new Set(),
    startedAt: currentFileTime(),
    arrivals: createArrivals(),
    line: createWaitingLine((id) => context.feed.changed(id)),
    dispatcher: createDispatcher({
      store,
      node,
      leaseMs,
      log,
      free: () => (engine.paused ? 0 : engine.limits.agents - engine.running.size),
      full: () => [...fullAgents(engine), ...engine.absent],
      begin: (claim) =>
        isForAbsentAgent(engine, claim) ? void giveBack(engine, claim) : beginTurn(engine, claim),
    }),
    stopping: false,
    paused: false,
    renewals: setInterval(() => void renew(engine), leaseMs / 3),
    looks: setInterval(() => engine.dispatcher.wake(), LOOK_MS),
    counts: { admitted: 0, begun: 0, ended: 0, steered: 0, interrupted: 0 },
  };
  engine.renewals.unref();
  engine.looks.unref();
  return engine;
}

/** Names of agents that run `maxRunning` turns already. The process of a shared agent runs one turn at a time. */
function fullAgents({ running, agents }: Engine): string[] {
  const counts = new Map<string, number>();
  for (const { claim } of running.values()) {
    counts.set(claim.session.agent, (counts.get(claim.session.agent) ?? 0) + 1);
  }
  const mostOf = (name: string): number => {
    const config = agents.get(name);
    return config?.share === true ? 1 : (config?.maxRunning ?? Number.POSITIVE_INFINITY);
  };
  return [...counts].filter(([name, count]) => count >= mostOf(name)).map(([name]) => name);
}

/**
 * Whether the message is older than this process and its agent is not configured. The agent existed when the message
 * was admitted: a lost configuration must not cost the answer.
 */
function isForAbsentAgent({ agents, startedAt }: Engine, { session, message }: Claim): boolean {
  return agents.get(session.agent) === undefined && (message?.receivedAt ?? startedAt) < startedAt;
}

/** Releases the claim until the agent is configured or another agent is chosen, and adds a notice to the session. */
async function giveBack(engine: Engine, claim: Claim): Promise<void> {
  const { id: sessionId, agent } = claim.session;
  const fields = { session: sessionId, agent };
  engine.absent.add(agent);
  engine.log.warn('A message waits for an agent that is not configured.', {
    ...fields,
    code: 'agent-absent',
  });
  const text = `There is no agent "${agent}" now. What was said here waits until it is configured again, or until you choose another one with /agent NAME.`;
  try {
    await engine.store.turns.record(claim, { release: true });
    const { event } = await engine.store.log.note(sessionId, {
      id: randomUUID(),
      event: { type: 'notice', text },
    });
    engine.feed.publish(sessionId, [event]);
  } catch (error) {
    engine.log.error(`A message could not be put back: ${reasonOf(error)}`, {
      ...fields,
      code: 'message-not-returned',
    });
  }
}

async function renew(engine: Engine): Promise<void> {
  const { running, leases, store, log, leaseMs } = engine;
  const held = [...[...running.values()].map(({ claim }) => claim), ...leases.all];
  if (held.length === 0) return;
  try {
    for (const id of await store.turns.renew(held, leaseMs)) loseLease(engine, id);
  } catch (error) {
    log.error(`Leases cannot be renewed: ${reasonOf(error)}`, { code: 'leases-not-renewed' });
  }
}

/** Another gateway has the session: its turn here is interrupted, or the process that waits for messages ends. */
function loseLease({ running, leases, agents, log }: Engine, sessionId: string): void {
  const turn = running.get(sessionId);
  if (turn !== undefined) {
    turn.lost = true;
    return interruptAgent(turn, 'cancel');
  }
  leases.forget(sessionId);
  log.warn('Another gateway has taken this session over. Its agent process here ends.', {
    code: 'session-lost',
    session: sessionId,
  });
  void agents.yieldSession(sessionId);
}
