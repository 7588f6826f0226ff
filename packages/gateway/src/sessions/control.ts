import { reasonOf } from '@plugboard/protocol';
import { type Engine, stopRunning } from './engine.ts';
import type { Running } from './running.ts';

export interface Stopped {
  readonly stopped: boolean;
  /** Messages that waited, and will not be answered. */
  readonly dropped: number;
}

/** What waits goes first: it must not begin the moment the running turn ends. */
export async function stop(engine: Engine, sessionId: string): Promise<Stopped> {
  const dropped = await engine.store.inbox.dropWaiting(sessionId);
  return { stopped: halt(engine, sessionId), dropped };
}

/** Stops a turn. Neither what it was asked nor what it was given is asked again, whatever becomes of the gateway. */
export async function cancelTurn({ store }: Engine, running: Running): Promise<void> {
  stopRunning(running, 'cancel');
  await store.inbox.letGo(running.claim.session.id);
}

/** Stops what runs in a session whose waiting messages were dropped; false when nothing does. */
export function halt(engine: Engine, sessionId: string): boolean {
  engine.line.leave(sessionId);
  const running = engine.running.get(sessionId);
  if (running !== undefined) stopRunning(running, 'cancel');
  engine.feed.changed(sessionId);
  return running !== undefined;
}

/** Ends a session: it can be read, and its place is free for another. */
export async function closeSession(engine: Engine, sessionId: string): Promise<void> {
  await stop(engine, sessionId);
  await engine.store.sessions.close(sessionId);
  engine.feed.changed(sessionId);
  void engine.agents.dismiss(sessionId);
}

/** Lets another agent answer, from the next turn on. */
export async function appoint(engine: Engine, sessionId: string, agent: string): Promise<void> {
  await engine.store.sessions.chooseAgent(sessionId, agent);
  appointed(engine, sessionId, agent);
}

/** An agent was chosen for a session: another before it does not stay, not for its alarms either, once its turn is over. */
export function appointed(engine: Engine, sessionId: string, agent: string): void {
  const running = engine.running.get(sessionId);
  if (running === undefined) void engine.agents.dismiss(sessionId, agent);
  else void running.ended.then(() => dismissOthers(engine, sessionId));
  engine.feed.changed(sessionId);
}

/** Whoever was chosen last stays: by now that may be another one. */
async function dismissOthers(engine: Engine, sessionId: string): Promise<void> {
  try {
    const session = await engine.store.sessions.get(sessionId);
    if (session !== undefined) await engine.agents.dismiss(sessionId, session.agent);
  } catch (error) {
    engine.log.warn(`An agent that no longer answers was not ended: ${reasonOf(error)}`, {
      session: sessionId,
    });
  }
}
