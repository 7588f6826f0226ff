import type { Gateway, HttpDoor } from '@plugboard/gateway';
import type { Spawner } from '@plugboard/process';
import type { Store } from '@plugboard/store';
import { removeInstance } from './instance.ts';
import { forgetMark } from './orphans.ts';
import type { Place } from './place.ts';

/** The parts of a gateway that are open so far; `takeDown` closes them. */
export interface Parts {
  spawner?: Spawner;
  store?: Store;
  /** The lock of the data directory, when the store lies elsewhere. */
  lock?: { release(): void };
  /** `markFile` holds our mark. */
  marked?: boolean;
  gateway?: Gateway;
  door?: HttpDoor;
  /** `instanceFile` holds our address. */
  announced?: boolean;
}

/** Closes all parts, those that use the store before the store; throws the first error after all were tried. */
export async function takeDown(parts: Parts, place: Place, graceMs: number): Promise<void> {
  const { door, gateway, lock, spawner, store } = parts;
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
  // Before `store.close()`: after it another gateway may take the lock and write the same files.
  await attempt(() => parts.announced && removeInstance(place.instanceFile));
  await attempt(() => parts.marked && forgetMark(place.markFile));
  await attempt(() => lock?.release());
  await attempt(() => store?.close());
  if (failures.length > 0) throw failures[0];
}
