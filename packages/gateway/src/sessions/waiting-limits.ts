import type { Session } from '@plugboard/store';
import type { Engine } from './engine.ts';

/** Counts of steered messages that the agents have not taken in. */
interface Steered {
  readonly inSession: number;
  readonly own: number;
  readonly all: number;
}

function countSteered({ running }: Engine, sessionId: string, principal: string): Steered {
  const counts = { inSession: 0, own: 0, all: 0 };
  for (const [id, { sent, claim }] of running)
    for (const [messageId, sender] of sent) {
      if (messageId === claim.message?.id) continue;
      counts.all += 1;
      if (sender === principal) counts.own += 1;
      if (id === sessionId) counts.inSession += 1;
    }
  return counts;
}

/**
 * Reserves room for one message, or returns in `full` which limit of waiting messages is reached. The caller calls
 * `done` when the message is in the store. Messages for which an agent is free do not count as waiting; messages in `Running.sent` do.
 */
export async function reserveWaitingPlace(
  engine: Engine,
  session: Session,
  principal: string,
): Promise<{ readonly full: string } | { readonly done: () => void }> {
  const { waiting, waitingPerSession, waitingPerPrincipal, agents } = engine.limits;
  const backlog = await engine.store.turns.backlog(principal);
  const { arrivals, running } = engine;
  const keys = { session: `session ${session.id}`, principal: `principal ${principal}` };
  const free = Math.max(0, agents - running.size);
  const steered = countSteered(engine, session.id, principal);
  const inSession = session.waiting + arrivals.of(keys.session) + steered.inSession;
  if (inSession >= waitingPerSession)
    return { full: `${inSession} messages of this session wait already. Wait for an answer, or /stop.` };
  const own = backlog.own + arrivals.of(keys.principal) + steered.own;
  if (own >= waitingPerPrincipal + free)
    return { full: `${own} of your messages wait already. Wait for answers before you send more.` };
  const all = backlog.waiting + arrivals.all() + steered.all;
  if (all >= waiting + free) return { full: `${all} messages wait already. Try again later.` };
  return { done: arrivals.count([keys.session, keys.principal]) };
}
