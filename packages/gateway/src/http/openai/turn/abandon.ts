import { reasonOf } from '@plugboard/protocol';
import type { Gateway } from '../../../gateway.ts';
import { cancelTurn } from '../../../sessions/control.ts';
import type { Asked } from '../asking/ask.ts';

/**
 * Stops the turn of a client that has disconnected, now or when it starts. Turns of other messages in the session go
 * on, also one that this message was steered into.
 */
export function abandonTurn({ engine, feed, store, log }: Gateway, asked: Asked): void {
  const { sessionId, messageId } = asked;
  const stopOwn = (): boolean => {
    const running = engine.running.get(sessionId);
    if (running === undefined || running.claim.turn.messageId !== messageId) return false;
    cancelTurn(engine, running).catch((error) =>
      log.warn(`A cancelled turn may run again after a crash: ${reasonOf(error)}`, {
        code: 'turn-not-abandoned',
        session: sessionId,
      }),
    );
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
  // `alone`: the session has no messages of other requests.
  const dropped = asked.alone ? store.inbox.dropWaiting(sessionId) : Promise.resolve(0);
  dropped.then(() => {
    if (asked.alone) engine.line.leave(sessionId);
    feed.changed(sessionId);
  }, look);
}
