import type { Errand, NewDelivery, Session, StoredTurn } from '@plugboard/store';
import type { Channel } from '../channels/channel.ts';
import { deliveries } from '../delivery/plan.ts';
import type { Engine } from './engine.ts';

/** A message that is asked again after each crash is asked no more than so often. */
const MOST_RETRIES = 3;

const INTERRUPTED =
  'I was interrupted by a restart and could not finish. What I had said so far stands; please ask again.';

/**
 * Ends what a gateway that died was doing, tells people once, and asks again where the operator wants that. Gives the
 * agents that were at work, and are still the ones of their sessions.
 */
export async function recover(
  engine: Engine,
  channels: ReadonlyMap<string, Channel>,
): Promise<readonly Errand[]> {
  const { store, node, log } = engine;
  const notice = (_turn: StoredTurn, session: Session) => noticeFor(channels, session);
  const again = (turn: StoredTurn, interruptions: number): boolean =>
    engine.agents.get(turn.agent)?.onCrash === 'retry' && interruptions <= MOST_RETRIES;
  const turns = await store.turns.recover({ node, notice, again });
  engine.counts.interrupted += turns.length;
  const interrupted: Errand[] = [];
  for (const { id, sessionId, agent } of turns) {
    const fields = { turn: id, session: sessionId };
    log.warn('A turn was interrupted by the end of the gateway before this one.', fields);
    const session = await store.sessions.get(sessionId);
    if (session?.agent === agent && !session.closed) interrupted.push({ sessionId, agent });
  }
  return interrupted;
}

/** Those who read the log see that the turn was interrupted; all others have to be told. */
function noticeFor(channels: ReadonlyMap<string, Channel>, session: Session): NewDelivery | undefined {
  const channel = channels.get(session.channel);
  if (channel === undefined || channel.limits.readsLog) return undefined;
  return deliveries(channel, session, { kind: 'notice', text: INTERRUPTED, media: [] })[0];
}
