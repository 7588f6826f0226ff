import { createAlarm } from '../alarm.ts';
import type { Child } from '../child.ts';

interface Place {
  readonly child: Child;
  readonly since: number;
}

export interface Shelf {
  add(child: Child): void;
  /** The one that has waited longest and is most surely ready. */
  take(): Child | undefined;
  /** All that wait; nobody looks after them any more. */
  clear(): Child[];
  readonly size: number;
}

export interface ShelfEvents {
  onDeath(child: Child, ageMs: number): void;
  onStale(child: Child): void;
}

/** The waiting processes. One that dies or grows old leaves by itself. */
export function createShelf(maxIdleMs: number, { onDeath, onStale }: ShelfEvents): Shelf {
  const places = new Set<Place>();
  // Not moved when a process is taken: that would delay its turn.
  const alarm = createAlarm(replaceOld);

  function replaceOld(): void {
    const now = performance.now();
    for (const place of places) {
      if (now < place.since + maxIdleMs) return alarm.at(place.since + maxIdleMs);
      places.delete(place);
      onStale(place.child);
    }
  }
  return {
    add(child) {
      const place: Place = { child, since: performance.now() };
      places.add(place);
      if (places.size === 1) alarm.at(place.since + maxIdleMs);
      void child.exited.then(() => places.delete(place) && onDeath(child, performance.now() - place.since));
    },
    take() {
      const [oldest] = places;
      if (oldest) places.delete(oldest);
      return oldest?.child;
    },
    clear() {
      alarm.clear();
      const children = Array.from(places, ({ child }) => child);
      places.clear();
      return children;
    },
    get size() {
      return places.size;
    },
  };
}
