import type { Session, Store } from '@plugboard/store';
import { mayUse, namesAgents, type Principal } from './auth.ts';

/**
 * Whether a session is there for somebody. What was said in it cannot be taken apart by who said it: for a token that
 * names agents it is there when none but those answers in it, or ever has.
 */
export async function maySee(
  store: Store,
  principal: Principal,
  { id, agent }: Pick<Session, 'id' | 'agent'>,
): Promise<boolean> {
  if (!namesAgents(principal)) return true;
  if (!mayUse(principal, agent)) return false;
  return (await store.turns.agents(id)).every((one) => mayUse(principal, one));
}
