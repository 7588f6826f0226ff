import type { Session } from '@plugboard/store';
import type { Gateway } from '../gateway.ts';

type Looked = Promise<Session | undefined>;

/** Store reads in progress, by gateway and session. */
const looking = new WeakMap<Gateway, Map<string, Looked>>();

/** Reads a session. Calls in the same tick share one read, since all streams of a session are notified at once. */
export function currentSession(gateway: Gateway, id: string): Looked {
  const looks = looking.get(gateway) ?? new Map<string, Looked>();
  looking.set(gateway, looks);
  const known = looks.get(id);
  if (known !== undefined) return known;
  const look = gateway.store.sessions.get(id).catch(() => undefined);
  looks.set(id, look);
  // A call after this tick may follow a later change, and needs its own read.
  queueMicrotask(() => looks.delete(id));
  return look;
}
