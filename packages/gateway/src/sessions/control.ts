import { reasonOf } from '@plugboard/protocol';
import { LostClaimError } from '@plugboard/store';
import type { Engine } from './engine.ts';
import type { Running } from './running.ts';
import { stopRunning } from './turn-life.ts';

export interface Stopped {
  readonly stopped: boolean;
  /** Number of messages that were dropped before the agent took them in. */
  readonly dropped: number;
}

/** Drops waiting messages before it calls `halt`: otherwise one of them is claimed the moment the running turn ends. */
export async function stop(engine: Engine, sessionId: string): Promise<Stopped> {
  const dropped = await engine.store.inbox.dropWaiting(sessionId, takenInBy(engine, sessionId));
  return { stopped: halt(engine, sessionId), dropped };
}

/** Stops a turn. `abandoned` keeps its input and its steered messages from being asked again after a crash. */
export async function cancelTurn(engine: Engine, running: Running): Promise<void> {
  const takenIn = [...running.takenIn];
  stopRunning(engine, running, 'cancel');
  await engine.store.turns.record(running.claim, { abandoned: { takenIn } }).catch(ignoreLost);
  engine.feed.changed(running.claim.session.id);
}

/** Ids of the messages that the agent of the running turn has taken in. Undefined when no turn runs. */
export function takenInBy(engine: Engine, sessionId: string): readonly string[] | undefined {
  const running = engine.running.get(sessionId);
  return running === undefined ? undefined : [...running.takenIn];
}

/** A `LostClaimError` means that the turn has ended already, so that there is no turn to abandon. */
function ignoreLost(error: unknown): void {
  if (!(error instanceof LostClaimError)) throw error;
}

/** Stops the running turn of a session whose waiting messages were dropped. Returns false when no turn runs. */
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
  void engine.agents.dismiss(sessionId);
}

/** Assigns `agent` to the session, from its next turn on. */
export async function appoint(engine: Engine, sessionId: string, agent: string): Promise<void> {
  await engine.store.sessions.chooseAgent(sessionId, agent);
  appointed(engine, sessionId, agent);
}

/**
 * Called after `agent` was assigned. Closes the processes of other agents of the session, with their alarms, once the
 * running turn is over.
 */
export function appointed(engine: Engine, sessionId: string, agent: string): void {
  const running = engine.running.get(sessionId);
  if (running === undefined) void engine.agents.dismiss(sessionId, agent);
  else void running.ended.promise.then(() => dismissOthers(engine, sessionId));
  engine.feed.changed(sessionId);
}

/** Reads `session.agent` again, because it may have changed while the turn ran. */
async function dismissOthers(engine: Engine, sessionId: string): Promise<void> {
  try {
    const session = await engine.store.sessions.get(sessionId);
    if (session !== undefined) await engine.agents.dismiss(sessionId, session.agent);
  } catch (error) {
    engine.log.warn(`An agent that no longer answers was not ended: ${reasonOf(error)}`, {
      code: 'agent-not-closed',
      session: sessionId,
    });
  }
}
