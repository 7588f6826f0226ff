import type { Gateway, HttpDoor } from '@plugboard/gateway';
import type { Spawner } from '@plugboard/process';
import type { Store } from '@plugboard/store';
import { removeInstance } from './instance.ts';
import { forgetMark } from './orphans.ts';
import type { Place } from './place.ts';

/** What of a gateway has been opened so far. */
export interface Parts {
  spawner?: Spawner;
  store?: Store;
  /** The mark of our agents is written down. */
  marked?: boolean;
  gateway?: Gateway;
  door?: HttpDoor;
  /** It is written down where we can be reached. */
  announced?: boolean;
}

/** Closes what was opened, in the order in which nothing is lost; all of it, and then throws what failed first. */
export async function takeDown(parts: Parts, place: Place, graceMs: number): Promise<void> {
  const { door, gateway, spawner, store } = parts;
  const failures: unknown[] = [];
  const attempt = async (step: () => unknown): Promise<void> => {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  };
  const closed = attempt(() => door?.close(graceMs));
  await attempt(() => gateway?.stop());
  await closed;
  await attempt(() => spawner?.close());
  // Before the store is given back: what is in these files then may be another gateway's.
  await attempt(() => parts.announced && removeInstance(place.instanceFile));
  await attempt(() => parts.marked && forgetMark(place.markFile));
  await attempt(() => store?.close());
  if (failures.length > 0) throw failures[0];
}
