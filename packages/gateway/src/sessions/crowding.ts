import type { Session } from '@plugboard/store';
import type { Engine } from './engine.ts';

/** Messages that are being admitted: the store does not count them yet. */
export interface Arrivals {
  readonly all: () => number;
  readonly of: (key: string) => number;
  /** Counts a message until the function returned is called; to call it again changes nothing. */
  count(keys: readonly string[]): () => void;
}

export function createArrivals(): Arrivals {
  const counts = new Map<string, number>();
  let all = 0;
  const add = (key: string, by: number): void => {
    const left = (counts.get(key) ?? 0) + by;
    if (left === 0) counts.delete(key);
    else counts.set(key, left);
  };
  return {
    all: () => all,
    of: (key) => counts.get(key) ?? 0,
    count(keys) {
      let counted = true;
      all += 1;
      for (const key of keys) add(key, 1);
      return () => {
        if (!counted) return;
        counted = false;
        all -= 1;
        for (const key of keys) add(key, -1);
      };
    },
  };
}

/**
 * Reserves the right to admit one message, or says which limit of waiting messages is reached. The caller calls `done` when the message is in the
 * store. Messages for which an agent is free do not wait.
 */
export async function reservePlace(
  engine: Engine,
  session: Session,
  principal: string,
): Promise<{ readonly full: string } | { readonly done: () => void }> {
  const { waiting, waitingPerSession, waitingPerPrincipal, agents } = engine.limits;
  const backlog = await engine.store.turns.backlog(principal);
  const { arrivals, running } = engine;
  const keys = { session: `session ${session.id}`, principal: `principal ${principal}` };
  const free = Math.max(0, agents - running.size);
  const inSession = session.waiting + arrivals.of(keys.session);
  if (inSession >= waitingPerSession)
    return { full: `${inSession} messages of this session wait already. Wait for an answer, or /stop.` };
  const own = backlog.own + arrivals.of(keys.principal);
  if (own >= waitingPerPrincipal + free)
    return { full: `${own} of your messages wait already. Wait for answers before you send more.` };
  const all = backlog.waiting + arrivals.all();
  if (all >= waiting + free) return { full: `${all} messages wait already. Try again later.` };
  return { done: arrivals.count([keys.session, keys.principal]) };
}
