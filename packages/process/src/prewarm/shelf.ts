import { type Alarm, createAlarm } from '../alarm.ts';
import type { Child } from '../child.ts';

interface Place {
  readonly child: Child;
  readonly stale: Alarm;
}

export interface Shelf {
  add(child: Child): void;
  /** The one that has waited longest and is most surely ready. */
  take(): Child | undefined;
  readonly size: number;
}

export interface ShelfEvents {
  onDeath(child: Child, ageMs: number): void;
  onStale(child: Child): void;
}

/** The waiting processes. One that dies or grows old leaves by itself. */
export function createShelf(maxIdleMs: number, { onDeath, onStale }: ShelfEvents): Shelf {
  const places = new Set<Place>();

  const remove = (place: Place): boolean => {
    place.stale.clear();
    return places.delete(place);
  };
  return {
    add(child) {
      const stale = createAlarm(() => remove(place) && onStale(child));
      const place: Place = { child, stale };
      places.add(place);
      const since = performance.now();
      stale.at(since + maxIdleMs);
      const gone = child.exited ?? child.ended;
      void gone.then(() => remove(place) && onDeath(child, performance.now() - since));
    },
    take() {
      const [oldest] = places;
      if (oldest) remove(oldest);
      return oldest?.child;
    },
    get size() {
      return places.size;
    },
  };
}
