import { reasonOf } from '@plugboard/protocol';
import type { Gateway } from '../../../gateway.ts';
import { cancelTurn } from '../../../sessions/control.ts';
import type { Asked } from '../asking/ask.ts';

/**
 * Nobody waits for this answer any more: its turn is stopped, now or the moment it begins. Turns of others in the same
 * session go on, also one that the message was taken into.
 */
export function abandon({ engine, feed, store, log }: Gateway, asked: Asked): void {
  const { sessionId, messageId } = asked;
  const stopOwn = (): boolean => {
    const running = engine.running.get(sessionId);
    if (running === undefined || running.claim.turn.messageId !== messageId) return false;
    cancelTurn(engine, running).catch((error) => log.warn(`A turn may be asked again: ${reasonOf(error)}`));
    return true;
  };
  const rests = async (): Promise<boolean> => {
    const session = await store.sessions.get(sessionId);
    return session === undefined || (session.waiting === 0 && !session.running);
  };
  if (stopOwn()) return;
  const look = async (): Promise<void> => {
    if (stopOwn() || (await rests())) unfollow();
  };
  const unfollow = feed.follow(sessionId, { onEvents: () => undefined, onStatus: () => void look() });
  // Nobody else can have said anything in a session that began with this message.
  const dropped = asked.alone ? store.inbox.dropWaiting(sessionId) : Promise.resolve(0);
  dropped.then(() => {
    if (asked.alone) engine.line.leave(sessionId);
    feed.changed(sessionId);
  }, look);
}
