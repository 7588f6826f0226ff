import { reasonOf } from '@plugboard/protocol';
import { LostClaimError, type StoredTurn } from '@plugboard/store';
import type { Engine } from './engine.ts';
import { isSteerable, type Running } from './running.ts';
import { stopRunning } from './turn-life.ts';

export interface Stopped {
  readonly stopped: boolean;
  /** Number of messages that were dropped before the agent took them in. */
  readonly dropped: number;
}

/** Drops waiting messages before it calls `halt`: otherwise one of them is claimed the moment the running turn ends. */
export async function stop(engine: Engine, sessionId: string): Promise<Stopped> {
  const takenIn = await findTakenIn(engine, sessionId);
  const dropped = await engine.store.inbox.dropWaiting(sessionId, takenIn);
  return { stopped: await haltAnywhere(engine, sessionId), dropped };
}

/** Stops a turn. `abandoned` keeps its input and its steered messages from being asked again after a crash. */
export async function cancelTurn(engine: Engine, running: Running): Promise<void> {
  const takenIn = takenInBy(running);
  stopRunning(engine, running, 'cancel');
  await engine.store.turns.record(running.claim, { abandoned: { takenIn } }).catch(ignoreLost);
  engine.feed.changed(running.claim.session.id);
}

/** Ids of the messages that the agent of a turn has taken in. */
export function takenInBy({ takenIn }: Running): string[] {
  return [...takenIn];
}

/** `takenInBy` the running turn of a session, here or at another gateway. Undefined when no turn runs. */
export async function findTakenIn(
  { running, peers }: Engine,
  sessionId: string,
): Promise<readonly string[] | undefined> {
  const here = running.get(sessionId);
  if (here !== undefined) return takenInBy(here);
  return (await peers.askHolder({ kind: 'taken-in', sessionId })) ?? undefined;
}

/** A `LostClaimError` means that the turn has ended already, so that there is no turn to abandon. */
function ignoreLost(error: unknown): void {
  if (!(error instanceof LostClaimError)) throw error;
}

/** As `halt`, also when another gateway runs the turn. */
export async function haltAnywhere(engine: Engine, sessionId: string): Promise<boolean> {
  return halt(engine, sessionId) || (await engine.peers.askHolder({ kind: 'halt', sessionId })) === true;
}

/** As `cancelTurn`, by the id of the turn, also when another gateway runs it. Resolves to whether it was running. */
export async function cancelAnywhere(
  engine: Engine,
  { id, sessionId }: Pick<StoredTurn, 'id' | 'sessionId'>,
): Promise<boolean> {
  const running = engine.running.get(sessionId);
  if (running === undefined)
    return (await engine.peers.askHolder({ kind: 'cancel-turn', sessionId, turnId: id })) === true;
  if (running.claim.turn.id !== id) return false;
  await cancelTurn(engine, running);
  return true;
}

/** Whether a message that comes now would be sent into the turn, also when another gateway runs it. */
export async function canSteer(
  { running, peers }: Engine,
  { id, sessionId }: Pick<StoredTurn, 'id' | 'sessionId'>,
): Promise<boolean> {
  const here = running.get(sessionId);
  if (here === undefined)
    return (await peers.askHolder({ kind: 'can-steer', sessionId, turnId: id })) === true;
  return here.claim.turn.id === id && isSteerable(here);
}

/** Stops the running turn of a session whose waiting messages were dropped. Returns false when no turn runs here. */
export function halt(engine: Engine, sessionId: string): boolean {
  engine.line.leave(sessionId);
  const running = engine.running.get(sessionId);
  if (running !== undefined) stopRunning(engine, running, 'cancel');
  engine.feed.changed(sessionId);
  return running !== undefined;
}

/** Closes a session: its log stays readable, and its `place` is free for a new session. */
export async function closeSession(engine: Engine, sessionId: string): Promise<void> {
  await stop(engine, sessionId);
  await engine.store.sessions.close(sessionId);
  engine.feed.changed(sessionId);
  await dismissAnywhere(engine, sessionId);
}

/** Assigns `agent` to the session, from its next turn on. */
export async function appoint(engine: Engine, sessionId: string, agent: string): Promise<void> {
  await engine.store.sessions.chooseAgent(sessionId, agent);
  await appointed(engine, sessionId, agent);
}

/**
 * Called after `agent` was assigned. Closes the processes of other agents of the session, with their alarms, once the
 * running turn is over.
 */
export async function appointed(engine: Engine, sessionId: string, agent: string): Promise<void> {
  engine.feed.changed(sessionId);
  await dismissAnywhere(engine, sessionId, agent);
}

/** Ends the agent processes of a session, here and at the gateway that has the session. */
export async function dismissAnywhere(engine: Engine, sessionId: string, except?: string): Promise<void> {
  dismissAgents(engine, sessionId, except);
  await engine.peers
    .askHolder({ kind: 'dismiss', sessionId, ...(except === undefined ? {} : { except }) })
    .catch((error: unknown) => warnNotClosed(engine, sessionId, error));
}

/** Ends the agent processes of a session here; while a turn runs, after it those of agents that answer no longer. */
export function dismissAgents(engine: Engine, sessionId: string, except: string | undefined): void {
  const running = engine.running.get(sessionId);
  if (running === undefined || except === undefined) void engine.agents.dismiss(sessionId, except);
  else void running.ended.promise.then(() => dismissOthers(engine, sessionId));
}

/** Reads `session.agent` again, because it may have changed while the turn ran. */
async function dismissOthers(engine: Engine, sessionId: string): Promise<void> {
  try {
    const session = await engine.store.sessions.get(sessionId);
    if (session !== undefined) await engine.agents.dismiss(sessionId, session.agent);
  } catch (error) {
    warnNotClosed(engine, sessionId, error);
  }
}

function warnNotClosed({ log }: Engine, session: string, error: unknown): void {
  log.warn(`An agent that no longer answers was not ended: ${reasonOf(error)}`, {
    code: 'agent-not-closed',
    session,
  });
}
