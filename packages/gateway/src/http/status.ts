import type { Session } from '@plugboard/store';
import type { Gateway } from '../gateway.ts';

type Looked = Promise<Session | undefined>;

/** Looks that are under way, by gateway and session. */
const looking = new WeakMap<Gateway, Map<string, Looked>>();

/** The session as it is now. Of many who ask at once, because all were told of the same change, one asks the store. */
export function currentSession(gateway: Gateway, id: string): Looked {
  const looks = looking.get(gateway) ?? new Map<string, Looked>();
  looking.set(gateway, looks);
  const known = looks.get(id);
  if (known !== undefined) return known;
  const look = gateway.store.sessions.get(id).catch(() => undefined);
  looks.set(id, look);
  // A later change is a later look.
  queueMicrotask(() => looks.delete(id));
  return look;
}
