import type { Errand, NewDelivery, Session, StoredTurn } from '@plugboard/store';
import type { Channel } from '../channels/channel.ts';
import { planDeliveries } from '../delivery/plan.ts';
import type { Engine } from './engine.ts';

/** Most retries of a message whose turn was interrupted by a crash each time. */
const MOST_RETRIES = 3;

const INTERRUPTED =
  'I was interrupted by a restart and could not finish. What I had said so far stands; please ask again.';

/**
 * Ends turns that `node` left open when it died, and those whose lease is over, adds one notice to each, and requeues the
 * message where `onCrash` is `retry`. Returns the interrupted agents that are still assigned to their sessions.
 */
export async function recover(
  engine: Engine,
  channels: ReadonlyMap<string, Channel>,
  node?: string,
): Promise<readonly Errand[]> {
  const { store, log } = engine;
  const notice = (_turn: StoredTurn, session: Session) => noticeFor(channels, session);
  const again = (turn: StoredTurn, interruptions: number): boolean =>
    engine.agents.get(turn.agent)?.onCrash === 'retry' && interruptions <= MOST_RETRIES;
  const turns = await store.turns.recover({ ...(node === undefined ? {} : { node }), notice, again });
  engine.counts.interrupted += turns.length;
  const interrupted: Errand[] = [];
  for (const { id, sessionId, agent } of turns) {
    log.warn('A turn was interrupted by the end of the gateway before this one.', {
      code: 'turn-interrupted',
      turn: id,
      session: sessionId,
    });
    const session = await store.sessions.get(sessionId);
    if (session !== undefined) await showVoidAsks(engine, session, id);
    if (session?.agent === agent && !session.closed) interrupted.push({ sessionId, agent });
  }
  return interrupted;
}

const MOST_ASKS = 20;

/** Shows in chats that the questions of an interrupted turn are open no longer. */
async function showVoidAsks({ store, plan }: Engine, session: Session, turnId: string): Promise<void> {
  const asks = await store.asks.list({ sessionId: session.id, state: 'void', limit: MOST_ASKS });
  const ended = asks
    .filter((ask) => ask.turnId === turnId)
    .map(({ id }) => ({ type: 'ask-ended', id, outcome: 'void' }) as const);
  for (const delivery of plan(session, ended)) await store.outbox.add(session.id, delivery);
}

/** Channels with `readsLog` show the interrupted turn; all other channels get a message. */
function noticeFor(channels: ReadonlyMap<string, Channel>, session: Session): NewDelivery | undefined {
  const channel = channels.get(session.channel);
  if (channel === undefined || channel.limits.readsLog) return undefined;
  return planDeliveries(channel, session, { kind: 'notice', text: INTERRUPTED, media: [] })[0];
}
